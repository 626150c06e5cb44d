import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { Engine } from '../engine/engine.ts';
import { limitConnections } from '../http/connection-limit.ts';
import { replyWithError } from '../http/error-replies.ts';
import { LISTEN_BACKLOG, serverOptions } from '../http/server-limits.ts';
import { CONTENT_TYPE } from '../metrics/exposition.ts';
import { PollError } from '../poll/poll-error.ts';
import type { Config } from './config.ts';
import { connectionsOfEach } from './open-files.ts';
import { relaySettings, votingSettings } from './options.ts';
import { hostSettingOf, listenFault, type PortSetting } from './preflight.ts';

/** The servers of a process: built first, then listening. `close()` stops each in the order of http/readiness.ts. */

/** Returns the settings with a free port in place of each 0: public addresses contain the port, and servers contain them. */
export async function withFreePorts(config: Config): Promise<Config> {
  const settings = (['PORT', 'VOTE_PORT'] as const).filter(setting => config[setting] === 0);
  const probes = await Promise.all(
    settings.map(async setting => {
      const probe = createServer().listen({ host: config.HOST, port: 0 });
      await once(probe, 'listening').catch(cause => Promise.reject(listenFault(setting, config, cause)));
      return [setting, probe] as const;
    }),
  );
  const ports = probes.map(([setting, probe]) => [setting, (probe.address() as AddressInfo).port]);
  for (const [, probe] of probes) probe.close();
  return { ...config, ...Object.fromEntries(ports) };
}

/** Builds what ROLE asks for, and loads no more than that. */
export async function buildServers(
  config: Config,
  engine: Engine,
  logger: FastifyBaseLogger,
): Promise<FastifyInstance[]> {
  const servers: FastifyInstance[] = [];
  if (config.ROLE !== 'voting') {
    const { buildRelay } = await import('../relay.ts');
    servers.push(await buildRelay({ ...relaySettings(config), engine, logger }));
  }
  if (config.ROLE !== 'relay') {
    const { buildVotingServer } = await import('../voting/voting-server.ts');
    servers.push(await buildVotingServer({ ...votingSettings(config), engine, logger }));
  }
  return servers;
}

/** @param servers as `buildServers` made them @throws Error in one line that names the setting of a port that cannot be used */
export async function listenAll(servers: readonly FastifyInstance[], config: Config): Promise<void> {
  const relay = { setting: 'PORT', text: `relay on ${relaySettings(config).relayUrl}` } as const;
  const voting = {
    setting: 'VOTE_PORT',
    text: `voting front end on ${relaySettings(config).voteUrl}`,
  } as const;
  const places = { all: [relay, voting], relay: [relay], voting: [voting] }[config.ROLE];
  for (const [index, { setting, text }] of places.entries()) {
    const app = servers[index] as FastifyInstance;
    limitConnections(app.server, connectionsOfEach(servers.length), config.TRUST_PROXY);
    await listen(app, setting, text, config);
  }
}

async function listen(
  app: FastifyInstance,
  setting: PortSetting,
  text: string,
  config: Config,
): Promise<void> {
  const [host, port] = [config[hostSettingOf(setting)], config[setting] ?? 0];
  try {
    await app.listen({ host, port, backlog: LISTEN_BACKLOG, listenTextResolver: () => text });
  } catch (cause) {
    throw listenFault(setting, config, cause as Error);
  }
}

/**
 * Serves `/metrics` at METRICS_PORT, for all processes that were started here. It never keeps a process alive.
 *
 * @param read the OpenMetrics text
 */
export async function serveMetrics(
  config: Config,
  logger: FastifyBaseLogger,
  read: () => Promise<string>,
): Promise<FastifyInstance> {
  const app = Fastify({ ...serverOptions({ logger }), frameworkErrors: replyWithError });
  app.server.on('connection', socket => socket.unref());
  app.setErrorHandler(replyWithError);
  app.setNotFoundHandler(() => {
    throw new PollError('route_not_found');
  });
  app.get('/metrics', async (_, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type(CONTENT_TYPE)
      .send(await read()),
  );
  const text = `metrics on http://${config.METRICS_HOST}:${config.METRICS_PORT}/metrics`;
  await listen(app, 'METRICS_PORT', text, config);
  app.server.unref();
  return app;
}
