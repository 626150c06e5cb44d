import ipaddr from 'ipaddr.js';
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

/** What an operator should know who lets strangers create; undefined where they cannot, or where all of it is local. */
export function openCreationWarning(config: Config): string | undefined {
  const url = [config.PUBLIC_URL, config.VOTE_PUBLIC_URL].find(url => url !== undefined && !isLocal(url));
  if (config.CREATE_REQUIRES_KEY || url === undefined) return undefined;
  return `creating polls and shows is open to everybody who reaches ${url}: set CREATE_REQUIRES_KEY=true and make a key (tallycast key create), or keep it open within CREATE_PER_MINUTE and CREATE_BYTES_PER_DAY`;
}

function isLocal(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  if (!ipaddr.isValid(host)) return /(^|\.)(localhost|local|internal|home\.arpa)$/.test(host);
  return ['loopback', 'private', 'linkLocal', 'uniqueLocal'].includes(ipaddr.process(host).range());
}

/** What a person wants to know in the first minute: where it is, and a line to paste. */
export function welcome(config: Config): string {
  const urls = publicUrls(config);
  const example = JSON.stringify({ poll: { title: 'Which song next?', answers: ['Waterloo', 'Volare'] } });
  const engine = config.REDIS_URL === undefined ? `embedded engine in ${config.DATA_DIR}` : 'redis engine';
  const lines = [
    '',
    `  Tallycast is running (${engine})`,
    '',
    ...(config.ROLE === 'voting' ? [] : [`  Relay    ${urls.relay}`, `  Overlay  ${urls.relay}/overlay`]),
    ...(config.ROLE === 'relay' ? [] : [`  Voting   ${urls.vote}`, `  Create   ${urls.vote}/new`]),
    ...(config.ROLE === 'voting'
      ? []
      : [
          '',
          '  Create a poll:',
          '',
          `  curl ${urls.relay}/api/poll -H 'Content-Type: application/json' -d '${example}'`,
        ]),
    '',
    '',
  ];
  return lines.join('\n');
}
