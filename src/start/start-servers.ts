import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { type Engine, openEngine } from '../engine/open-engine.ts';
import { operatorKeys } from '../poll/poll-key.ts';
import type { Config } from './config.ts';
import { type PublicUrls, publicUrls } from './public-urls.ts';
import { votingSettings } from './voting-settings.ts';

/** Thousands of overlays come back in one second after a restart; what the system allows is less on most machines. */
const BACKLOG = 65_535;

export interface RunningServers {
  readonly logger: FastifyBaseLogger;
  close(): Promise<void>;
}

/** Opens the engine, builds what ROLE asks for (and loads no more than that), and listens. */
export async function startServers(config: Config): Promise<RunningServers> {
  const logger: FastifyBaseLogger = pino({
    level: config.LOG_LEVEL,
    redact: ['req.headers', 'key', '*.key'],
  });
  const urls = publicUrls(config);
  const engine = await openEngine({
    redisUrl: config.REDIS_URL,
    redisPrefix: config.REDIS_PREFIX,
    dataDir: config.DATA_DIR,
    durability: config.DURABILITY,
    retentionDays: config.RETENTION_DAYS,
    onError: error => logger.warn(`engine: ${error.message}`),
  });
  const apps: FastifyInstance[] = [];
  const close = async () => {
    await Promise.all(apps.map(app => app.close()));
    await engine.close();
  };
  try {
    if (config.ROLE !== 'voting') apps.push(await startRelay(config, engine, logger, urls));
    if (config.ROLE !== 'relay') apps.push(await startVoting(config, engine, logger, urls));
  } catch (error) {
    await close();
    throw error;
  }
  return { logger, close };
}

async function startRelay(
  config: Config,
  engine: Engine,
  logger: FastifyBaseLogger,
  urls: PublicUrls,
): Promise<FastifyInstance> {
  const { buildRelay } = await import('../relay.ts');
  const app = await buildRelay({
    engine,
    logger,
    operatorKeys: config.OPERATOR_KEYS,
    corsOrigins: config.CORS_ORIGINS,
    createRequiresKey: config.CREATE_REQUIRES_KEY,
    createPerMinute: config.CREATE_PER_MINUTE,
    maxConnectionsPerAddress: config.MAX_CONNECTIONS_PER_ADDRESS,
    websockets: config.WEBSOCKETS,
    trustProxy: config.TRUST_PROXY,
    relayUrl: urls.relay,
    voteUrl: urls.vote,
  });
  await app.listen({
    host: config.HOST,
    port: config.PORT,
    listenTextResolver: () => `relay on ${urls.relay}`,
  });
  return app;
}

async function startVoting(
  config: Config,
  engine: Engine,
  logger: FastifyBaseLogger,
  urls: PublicUrls,
): Promise<FastifyInstance> {
  const { buildVotingServer } = await import('../voting/voting-server.ts');
  const app = await buildVotingServer({
    ...votingSettings(config),
    engine,
    logger,
    isOperatorKey: operatorKeys(config.OPERATOR_KEYS),
    publicUrl: urls.relay,
    votePublicUrl: urls.vote,
  });
  const listenTextResolver = () => `voting front end on ${urls.vote}`;
  await app.listen({ host: config.HOST, port: config.VOTE_PORT, backlog: BACKLOG, listenTextResolver });
  return app;
}
