import type { RelaySettings } from '../api/api-options.ts';
import { type Engine, type EngineOptions, openEngine } from '../engine/open-engine.ts';
import type { VotingSettings } from '../voting/voting-options.ts';
import type { Config } from './config.ts';

/** What the settings mean for the engine and for each server. Defaults are in the schema of config.ts alone. */

/** Origins without a slash at the end. */
export interface PublicUrls {
  readonly relay: string;
  readonly vote: string;
}

/** How browsers reach the servers: as configured, or as they listen. */
export function publicUrls(config: Config): PublicUrls {
  const listensEverywhere = config.HOST === '0.0.0.0' || config.HOST === '::';
  const host = listensEverywhere ? 'localhost' : config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  return {
    relay: config.PUBLIC_URL ?? `http://${host}:${config.PORT}`,
    vote: config.VOTE_PUBLIC_URL ?? `http://${host}:${config.VOTE_PORT}`,
  };
}

/**
 * Opens the engine that the settings name.
 *
 * @param beside opens it beside a running server, see `EngineOptions`
 * @throws Error in one line where it cannot be opened
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

export function relaySettings(config: Config): RelaySettings {
  const { relay, vote } = publicUrls(config);
  return {
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
    relayUrl: relay,
    voteUrl: vote,
  };
}

export function votingSettings(config: Config): VotingSettings {
  const { relay, vote } = publicUrls(config);
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  return {
    operatorKeys: config.OPERATOR_KEYS,
    trustProxy: config.TRUST_PROXY,
    vpnListFile: config.VPN_LIST_FILE,
    oidc:
      issuer && clientId && clientSecret
        ? { issuer, clientId, clientSecret, name: config.OIDC_NAME }
        : undefined,
    turnstile: remoteCheck(config.TURNSTILE_SITE_KEY, config.TURNSTILE_SECRET),
    hcaptcha: remoteCheck(config.HCAPTCHA_SITE_KEY, config.HCAPTCHA_SECRET),
    proofCost: config.PROOF_COST,
    rateLimits: {
      pages: config.PAGES_PER_MINUTE,
      ballots: config.VOTES_PER_MINUTE,
      newcomers: config.NEWCOMERS_PER_SECOND,
      comments: config.COMMENTS_PER_MINUTE,
      creates: config.CREATE_PER_MINUTE,
    },
    createRequiresKey: config.CREATE_REQUIRES_KEY,
    createBytesPerDay: config.CREATE_BYTES_PER_DAY,
    emptyPollDays: config.EMPTY_POLL_DAYS,
    emptyShowDays: config.EMPTY_SHOW_DAYS,
    countsRequests: config.METRICS_PORT !== undefined,
    publicUrl: relay,
    votePublicUrl: vote,
  };
}

function remoteCheck(siteKey: string | undefined, secret: string | undefined): VotingSettings['turnstile'] {
  return siteKey === undefined || secret === undefined ? undefined : { siteKey, secret };
}
