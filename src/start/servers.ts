import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { bareServer } from '../http/bare-server.ts';
import { LISTEN_BACKLOG, limitConnections } from '../http/server-limits.ts';
import { CONTENT_TYPE } from '../metrics/exposition.ts';
import type { Chat } from './chat.ts';
import { type Config, portsOf, settingsOf } from './config.ts';
import { connectionsOfEach, hostSettingOf, listenFault, type PortSetting } from './preflight.ts';
import type { Services } from './services.ts';

/** Replaces each port 0 by a free port, which the public addresses contain. */
export async function withFreePorts(config: Config): Promise<Config> {
  const settings = portsOf(config).filter(setting => config[setting] === 0);
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

/** Builds the servers of the configured role, and only loads their modules. */
export async function buildServers(
  config: Config,
  services: Services,
  logger: FastifyBaseLogger,
  chat: Chat | undefined,
): Promise<FastifyInstance[]> {
  const servers: FastifyInstance[] = [];
  const settings = settingsOf(config);
  const { role } = settings;
  if (role === 'all' || role === 'relay') {
    const { buildRelay } = await import('./relay.ts');
    servers.push(await buildRelay({ ...settings, services, logger }));
  }
  if (role === 'all' || role === 'voting') {
    const { buildVotingServer } = await import('./voting-server.ts');
    servers.push(await buildVotingServer({ ...settings, services, logger, votesFromChat: chat }));
  }
  if (role === 'chat') {
    const { buildChatServer } = await import('./chat.ts');
    servers.push(await buildChatServer(config, services, logger, chat as Chat));
  }
  return servers;
}

const LISTENING = {
  PORT: 'relay listening',
  VOTE_PORT: 'voting front end listening',
  METRICS_PORT: 'metrics listening',
} as const satisfies Record<PortSetting, string>;

/** @param servers from `buildServers` @throws Error in one line that names the setting of an unusable port */
export async function listenAll(servers: readonly FastifyInstance[], config: Config): Promise<void> {
  for (const [index, setting] of portsOf(config).entries()) {
    const app = servers[index] as FastifyInstance;
    limitConnections(app.server, connectionsOfEach(servers.length), config.TRUST_PROXY);
    await listen(app, setting, config);
  }
}

async function listen(app: FastifyInstance, setting: PortSetting, config: Config): Promise<void> {
  const host = config[hostSettingOf(setting)];
  const port = config[setting] ?? 0;
  // Fastify logs a line for each address of the machine. The log leaves out empty ones.
  const texts = [LISTENING[setting]];
  const listenTextResolver = () => texts.pop() ?? '';
  try {
    await app.listen({ host, port, backlog: LISTEN_BACKLOG, listenTextResolver });
  } catch (cause) {
    throw listenFault(setting, config, cause as Error);
  }
}

/** Serves `/metrics` at METRICS_PORT. It never keeps the process alive. @param read returns the OpenMetrics text */
export async function serveMetrics(
  config: Config,
  logger: FastifyBaseLogger,
  read: () => Promise<string>,
): Promise<FastifyInstance> {
  const app = bareServer({ logger });
  app.server.on('connection', socket => socket.unref());
  app.get('/metrics', async (_, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type(CONTENT_TYPE)
      .send(await read()),
  );
  await listen(app, 'METRICS_PORT', config);
  app.server.unref();
  return app;
}
