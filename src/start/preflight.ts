import { accessSync, constants, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Engine } from '../engine/engine.ts';
import { isLoopback } from '../http/loopback.ts';
import { causeOf } from '../http/request-log.ts';
import { readChatKeys } from './chat-keys.ts';
import {
  type Config,
  chatKeyFiles,
  givenSettings,
  InvalidSettings,
  misspelledSettings,
  openConfiguredEngine,
  portsOf,
  readConfig,
  settingsOf,
} from './config.ts';
import { checkRedisFiles } from './redis-files.ts';

export interface Finding {
  readonly check: 'limits' | 'settings' | 'engine' | 'port';
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
  readonly exitCode?: number;
}

/** Checks settings, engine and ports in the order of a start, without serving. Never rejects. */
export async function preflight(environment?: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { findings, config } = checkSettings(environment);
  if (!config) return findings;
  const ports: PortSetting[] = portsOf(config);
  if (config.METRICS_PORT !== undefined) ports.push('METRICS_PORT');
  const [engine, ...found] = await Promise.all([
    checkEngine(config),
    ...ports.map(setting => checkPort(config, setting)),
  ]);
  return [...findings, ...engine, ...found];
}

function checkSettings(environment?: NodeJS.ProcessEnv): { findings: Finding[]; config?: Config } {
  try {
    const config = readConfig(environment);
    requireFiles(config);
    const set = Object.keys(givenSettings(environment));
    const message = set.length > 0 ? `ROLE=${config.ROLE}; set: ${set.join(', ')}` : 'all at their defaults';
    const misspelled = misspelledSettings(environment);
    if (misspelled.length > 0) throw new InvalidSettings(misspelled.join('; '));
    const warnings = settingsWarnings(config).map(text => warning('settings', text));
    return { findings: [{ check: 'settings', status: 'ok', message }, ...warnings], config };
  } catch (error) {
    const exitCode = error instanceof InvalidSettings ? error.exitCode : 1;
    return { findings: [{ ...failed('settings', error), exitCode }] };
  }
}

/** @throws InvalidSettings if a file that a setting names cannot be read, or is not what the setting asks for */
export function requireFiles(config: Config): void {
  const { REDIS_CA_FILE, REDIS_CERT_FILE, REDIS_KEY_FILE } = config;
  const needed = {
    ...(['all', 'voting'].includes(config.ROLE) && { VPN_LIST_FILE: config.VPN_LIST_FILE }),
    ...(config.REDIS_URL !== undefined && { REDIS_CA_FILE, REDIS_CERT_FILE, REDIS_KEY_FILE }),
    ...chatKeyFiles(config),
  };
  for (const [name, file] of Object.entries(needed)) {
    try {
      if (file !== undefined) accessSync(file, constants.R_OK);
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      throw new InvalidSettings(`${name} ${file}: ${isMissing ? 'no such file' : 'permission denied'}`);
    }
  }
  readChatKeys(config);
  if (config.REDIS_URL !== undefined) checkRedisFiles(config, Date.now());
}

async function checkEngine(config: Config): Promise<Finding[]> {
  const warnings: string[] = [];
  const warned = () => warnings.map(message => warning('engine', message));
  let engine: Engine | undefined;
  try {
    engine = await openConfiguredEngine(config, ({ message }) => warnings.push(message));
    const unwritable = await writeFault(engine);
    const { fault } = await engine.checkHealth();
    const { text, advice } = await engine.describe();
    warnings.push(...advice);
    if (unwritable) {
      const message = `${text}. ${unwritable.fault} (${unwritable.cause})`;
      return [{ check: 'engine', status: 'failed', message }, ...warned()];
    }
    if (fault !== undefined) warnings.push(fault);
    return [{ check: 'engine', status: 'ok', message: `${text}; reads and writes` }, ...warned()];
  } catch (error) {
    return [failed('engine', error)];
  } finally {
    await engine?.close();
  }
}

/** Writes a record that expires at once. @returns why it failed; undefined if it succeeded */
export async function writeFault(engine: Engine): Promise<{ fault: string; cause: string } | undefined> {
  try {
    await engine.records.put('start', '', 1_000);
    return undefined;
  } catch (error) {
    const health = await engine.checkHealth().catch(() => undefined);
    return { fault: health?.fault ?? (error as Error).message, cause: causeOf(error) };
  }
}

export type PortSetting = 'PORT' | 'VOTE_PORT' | 'METRICS_PORT';

function checkPort(config: Config, setting: PortSetting): Promise<Finding> {
  const host = config[hostSettingOf(setting)];
  const port = config[setting];
  const server = createServer();
  return new Promise(done => {
    server.once('error', cause => done(failed('port', listenFault(setting, config, cause))));
    server.listen({ host, port }, () => {
      const message = `${setting}=${port} on ${host} is free`;
      server.close(() => done({ check: 'port', status: 'ok', message }));
    });
  });
}

function failed(check: Finding['check'], error: unknown): Finding {
  return { check, status: 'failed', message: (error as Error).message };
}

function warning(check: Finding['check'], message: string): Finding {
  return { check, status: 'warning', message };
}

function settingsWarnings(config: Config): string[] {
  const openUrl = openCreationUrl(config);
  const localLink = unreachableLink(config);
  return [
    ...(openUrl === undefined ? [] : [`anyone can create polls and shows at ${openUrl}: ${OPEN_CREATION}`]),
    ...(localLink === undefined ? [] : [`links like ${localLink} open on this computer only: ${REACHABLE}`]),
  ];
}

/** Logs valid settings that are probably unintended. */
export function logStartWarnings(config: Config, logger: FastifyBaseLogger): void {
  for (const setting of misspelledSettings()) logger.warn({ setting }, 'setting is probably misspelled');
  const url = openCreationUrl(config);
  if (url !== undefined) logger.warn({ url, advice: OPEN_CREATION }, 'creation open to the public');
  const link = unreachableLink(config);
  if (link !== undefined) logger.warn({ link, advice: REACHABLE }, 'links open on this computer only');
  const limit = openFilesLimit();
  if (limit < COMFORTABLE_LIMIT)
    logger.warn(
      { limit, connections: connectionsOfEach(1, limit), advice: RAISE_LIMIT },
      'low open file limit',
    );
}

/** Returns why a port cannot be used, in one line that names the setting. */
export function listenFault(setting: PortSetting, config: Config, cause: NodeJS.ErrnoException): Error {
  const host = hostSettingOf(setting);
  const reason = LISTEN_FAULTS[cause.code ?? ''];
  return reason
    ? new Error(`${setting}=${config[setting]} on ${host}=${config[host]}: ${reason}`, { cause })
    : cause;
}

export function hostSettingOf(setting: PortSetting): 'HOST' | 'METRICS_HOST' {
  return setting === 'METRICS_PORT' ? 'METRICS_HOST' : 'HOST';
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'in use by another program. Stop it or choose another port',
  EACCES: 'permission denied. Ports below 1024 are reserved on most systems',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'unknown host name',
};

const OPEN_CREATION =
  'set CREATE_REQUIRES_KEY=true and create a key (tallycast key create), or rely on CREATE_PER_MINUTE and CREATE_BYTES_PER_DAY';

/** Returns a public URL at which anyone can create polls; undefined if creation needs a key or all URLs are local. */
export function openCreationUrl(config: Config): string | undefined {
  if (config.CREATE_REQUIRES_KEY) return undefined;
  return [config.PUBLIC_URL, config.VOTE_PUBLIC_URL].find(url => url !== undefined && !isLocal(url));
}

const REACHABLE = 'set PUBLIC_URL and VOTE_PUBLIC_URL, or start with --lan on a machine in your network';

/** Returns a link of this computer alone, although the servers listen to others; undefined otherwise. */
export function unreachableLink(config: Config): string | undefined {
  if (config.ROLE === 'chat' || isLoopback(config.HOST)) return undefined;
  const { relayUrl, voteUrl } = settingsOf(config);
  return [voteUrl, relayUrl].find(url => isLoopback(new URL(url).hostname));
}

function isLocal(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  if (!ipaddr.isValid(host)) return /(^|\.)(localhost|local|internal|home\.arpa)$/.test(host);
  return ['loopback', 'private', 'linkLocal', 'uniqueLocal'].includes(ipaddr.process(host).range());
}

/** File descriptors without which the program's modules may not load. */
const MIN_LIMIT = 128;
/** Descriptors in use without any client. */
const OWN_FILES = 40;
const COMFORTABLE_LIMIT = 4_096;
const RAISE_LIMIT =
  'Raise the limit: `ulimit -n 65536`, LimitNOFILE in systemd, `ulimits: nofile` in compose.';

/** @throws Error in one line if the limit of open files is too low to start */
export function requireOpenFiles(limit = openFilesLimit()): void {
  if (limit < MIN_LIMIT)
    throw new Error(
      `This process may open only ${limit} files and connections, and needs ${MIN_LIMIT} to start. ${RAISE_LIMIT}`,
    );
}

export function checkOpenFiles(limit = openFilesLimit()): Finding {
  const check = 'limits';
  try {
    requireOpenFiles(limit);
  } catch (error) {
    return failed(check, error);
  }
  if (limit < COMFORTABLE_LIMIT)
    return warning(
      check,
      `${limit} files and connections: about ${connectionsOfEach(1, limit)} clients. ${RAISE_LIMIT}`,
    );
  return { check, status: 'ok', message: `${limit.toLocaleString('en')} files and connections` };
}

/** Returns the maximum connections of each server. The rest is for the engine, which must be able to reconnect. */
export function connectionsOfEach(servers: number, limit = openFilesLimit()): number {
  return Math.max(1, Math.floor((limit - OWN_FILES) / servers));
}

/** Returns the soft limit, which Node raises to the hard limit at its start; infinity if unknown. */
function openFilesLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
