import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { pino } from 'pino';
import type { Config } from './config.ts';
import { type Engine, openEngine } from './engine/open-engine.ts';
import { operatorKeys } from './poll/poll-key.ts';
import { buildRelay } from './relay.ts';
import { buildVotingServer } from './voting/voting-server.ts';
import { votingSettings } from './voting-settings.ts';
import { welcome } from './welcome.ts';

export interface RunningServers {
  readonly logger: FastifyBaseLogger;
  /** What to print for the person who started it. */
  readonly welcome: string;
  close(): Promise<void>;
}

export interface PublicUrls {
  /** Origins without a slash at the end. */
  readonly relay: string;
  readonly vote: string;
}

/** Opens the engine, builds what ROLE asks for, and listens. */
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
    onError: error => logger.warn({ err: error }, 'engine'),
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
  return { logger, welcome: welcome(config, urls), close };
}

async function startRelay(
  config: Config,
  engine: Engine,
  logger: FastifyBaseLogger,
  urls: PublicUrls,
): Promise<FastifyInstance> {
  const app = await buildRelay({
    engine,
    logger,
    operatorKeys: config.OPERATOR_KEYS,
    createRequiresKey: config.CREATE_REQUIRES_KEY,
    createPerMinute: config.CREATE_PER_MINUTE,
    maxConnectionsPerAddress: config.MAX_CONNECTIONS_PER_ADDRESS,
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
  const app = await buildVotingServer({
    ...votingSettings(config),
    engine,
    logger,
    isOperatorKey: operatorKeys(config.OPERATOR_KEYS),
    publicUrl: urls.relay,
    votePublicUrl: urls.vote,
  });
  const listenTextResolver = () => `voting front end on ${urls.vote}`;
  await app.listen({ host: config.HOST, port: config.VOTE_PORT, listenTextResolver });
  return app;
}

function publicUrls(config: Config): PublicUrls {
  const everywhere = config.HOST === '0.0.0.0' || config.HOST === '::';
  const host = everywhere ? 'localhost' : config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  return {
    relay: config.PUBLIC_URL ?? `http://${host}:${config.PORT}`,
    vote: config.VOTE_PUBLIC_URL ?? `http://${host}:${config.VOTE_PORT}`,
  };
}
