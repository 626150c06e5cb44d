import type { Config } from './config.ts';

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
