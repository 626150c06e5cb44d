import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { VERSION } from '../document/product.ts';
import { measuredEngine } from '../engine/measured-engine.ts';
import { type Engine, type EngineOptions, openEngine } from '../engine/open-engine.ts';
import { limitConnections } from '../http/connection-limit.ts';
import { EarlyServer } from '../http/early-server.ts';
import { LISTEN_BACKLOG } from '../http/http-limits.ts';
import { buildInfo, workers } from '../metrics/catalogue.ts';
import type { Config } from './config.ts';
import type { EarlyServers } from './early-servers.ts';
import { faultLog, warnOfWriteFault, watchAvailability } from './engine-log.ts';
import { hostSettingOf, listenFault, type PortSetting } from './listen-fault.ts';
import { connectionsOfEach } from './open-files.ts';
import { type PublicUrls, publicUrls } from './public-urls.ts';
import { logRefusals } from './refusal-log.ts';
import { votingSettings } from './voting-settings.ts';

export interface RunningServers {
  close(): Promise<void>;
}

/** A server that is built and does not listen yet. */
interface BuiltServer {
  readonly app: FastifyInstance;
  readonly setting: PortSetting;
  readonly text: string;
}

/** What every server is built from. */
interface Surroundings {
  readonly config: Config;
  readonly engine: Engine;
  readonly logger: FastifyBaseLogger;
  readonly urls: PublicUrls;
  readonly early: EarlyServers;
}

/**
 * Opens the engine, builds what ROLE asks for (and loads no more than that), and serves once all of it is there.
 *
 * @param early what listens already
 */
export async function startServers(
  config: Config,
  logger: FastifyBaseLogger,
  early: EarlyServers = {},
): Promise<RunningServers> {
  const urls = publicUrls(config);
  const opened = await openConfiguredEngine(config, faultLog(logger));
  const engine = config.METRICS_PORT === undefined ? opened : measuredEngine(opened);
  const ends = [watchAvailability(engine, logger), logRefusals(logger), ...describeProcess(config)];
  const surroundings: Surroundings = { config, engine, logger, urls, early };
  const servers: BuiltServer[] = [];
  const close = async () => {
    await Promise.all(servers.map(({ app }) => app.close()));
    await engine.close();
    for (const end of ends) end();
  };
  try {
    if (config.ROLE !== 'voting') servers.push(await buildRelayServer(surroundings));
    if (config.ROLE !== 'relay') servers.push(await buildVoting(surroundings));
    for (const server of servers) {
      const { app } = server;
      if (!(app.server instanceof EarlyServer))
        limitConnections(app.server, connectionsOfEach(servers.length), config.TRUST_PROXY);
      await listen(server, config);
    }
    void warnOfWriteFault(engine, logger);
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}

/**
 * The engine that the settings name.
 *
 * @param beside for who works beside a server, see `EngineOptions`
 * @throws Error in one line where it cannot be had
 */
export function openConfiguredEngine(
  config: Config,
  onError: (error: Error) => void,
  beside?: 'read' | 'write',
): Promise<Engine> {
  return openEngine({ ...engineOptions(config), onError, beside });
}

export function engineOptions(config: Config): EngineOptions {
  return {
    redisUrl: config.REDIS_URL,
    redisPrefix: config.REDIS_PREFIX,
    redisCaFile: config.REDIS_CA_FILE,
    redisSentinelPassword: config.REDIS_SENTINEL_PASSWORD,
    dataDir: config.DATA_DIR,
    durability: config.DURABILITY,
    retentionDays: config.RETENTION_DAYS,
  };
}

function describeProcess({ ROLE: role, REDIS_URL }: Config): (() => void)[] {
  const engine = REDIS_URL === undefined ? 'embedded' : 'redis';
  return [buildInfo.read(() => [[{ version: VERSION, role, engine }, 1]]), workers.read(() => [[{}, 1]])];
}

/** @throws Error in one line that names the setting where nobody can listen there */
export async function listen({ app, setting, text }: BuiltServer, config: Config): Promise<void> {
  const [host, port] = [config[hostSettingOf(setting)], config[setting] ?? 0];
  try {
    await app.listen({ host, port, backlog: LISTEN_BACKLOG, listenTextResolver: () => text });
  } catch (cause) {
    throw listenFault(setting, config, cause as Error);
  }
}

async function buildRelayServer({ config, engine, logger, urls, early }: Surroundings): Promise<BuiltServer> {
  const { buildRelay } = await import('../relay.ts');
  const app = await buildRelay({
    engine,
    logger,
    early: early.PORT,
    operatorKeys: config.OPERATOR_KEYS,
    corsOrigins: config.CORS_ORIGINS,
    createRequiresKey: config.CREATE_REQUIRES_KEY,
    // A relay alone does not know what the voting front ends have set up.
    lacksSignIn: config.ROLE === 'all' && config.OIDC_ISSUER === undefined,
    directWrites: config.DIRECT_WRITES,
    createPerMinute: config.CREATE_PER_MINUTE,
    createBytesPerDay: config.CREATE_BYTES_PER_DAY,
    emptyPollDays: config.EMPTY_POLL_DAYS,
    emptyShowDays: config.EMPTY_SHOW_DAYS,
    changesPerMinute: config.CHANGES_PER_MINUTE,
    operatorPerMinute: config.OPERATOR_PER_MINUTE,
    maxConnectionsPerAddress: config.MAX_CONNECTIONS_PER_ADDRESS,
    countsRequests: config.METRICS_PORT !== undefined,
    trustProxy: config.TRUST_PROXY,
    relayUrl: urls.relay,
    voteUrl: urls.vote,
  });
  return { app, setting: 'PORT', text: `relay on ${urls.relay}` };
}

async function buildVoting({ config, engine, logger, urls, early }: Surroundings): Promise<BuiltServer> {
  const { buildVotingServer } = await import('../voting/voting-server.ts');
  const app = await buildVotingServer({
    ...votingSettings(config),
    countsRequests: config.METRICS_PORT !== undefined,
    engine,
    logger,
    early: early.VOTE_PORT,
    operatorKeys: config.OPERATOR_KEYS,
    publicUrl: urls.relay,
    votePublicUrl: urls.vote,
  });
  return { app, setting: 'VOTE_PORT', text: `voting front end on ${urls.vote}` };
}
