import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Engine } from '../engine/engine.ts';
import { type Config, FaultySettings, givenSettings, mistypedSettings, readConfig } from './config.ts';
import { writeFault } from './log.ts';
import { type Finding, openFilesWarning } from './open-files.ts';
import { openConfiguredEngine, publicUrls } from './options.ts';

/** Everything that a start could stumble over, looked at without serving anybody. */

/** @returns what was found, in the order in which a start would meet it; nothing rejects */
export async function preflight(environment?: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { findings, config } = checkSettings(environment);
  if (!config) return findings;
  const [engine, ...ports] = await Promise.all([
    checkEngine(config),
    ...portsOf(config).map(checkPort(config)),
  ]);
  return [...findings, ...engine, ...ports];
}

function checkSettings(environment?: NodeJS.ProcessEnv): { findings: Finding[]; config?: Config } {
  const mistyped = mistypedSettings(environment).map(({ given, meant }): Finding => {
    return {
      check: 'settings',
      status: 'warning',
      message: `${given} is no setting: did you mean ${meant}?`,
    };
  });
  try {
    const config = readConfig(environment);
    requireFiles(config);
    const set = Object.keys(givenSettings(environment));
    const message = set.length > 0 ? `ROLE=${config.ROLE}; set: ${set.join(', ')}` : 'all at their defaults';
    const open = openCreationWarning(config);
    const warned: Finding[] =
      open === undefined ? [] : [{ check: 'settings', status: 'warning', message: open }];
    return { findings: [{ check: 'settings', status: 'ok', message }, ...mistyped, ...warned], config };
  } catch (error) {
    const exitCode = error instanceof FaultySettings ? error.exitCode : 1;
    return { findings: [{ ...failed('settings', error), exitCode }, ...mistyped] };
  }
}

/** @throws FaultySettings where a file that a setting names cannot be read: a typing mistake must not open the polls */
export function requireFiles({ ROLE, VPN_LIST_FILE, REDIS_URL, REDIS_CA_FILE }: Config): void {
  const needed = {
    VPN_LIST_FILE: ROLE === 'relay' ? undefined : VPN_LIST_FILE,
    REDIS_CA_FILE: REDIS_URL === undefined ? undefined : REDIS_CA_FILE,
  };
  for (const [name, file] of Object.entries(needed)) {
    try {
      if (file !== undefined) accessSync(file, constants.R_OK);
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      throw new FaultySettings(
        `${name} ${file}: ${isMissing ? 'there is no such file' : 'it may not be read'}`,
      );
    }
  }
}

async function checkEngine(config: Config): Promise<Finding[]> {
  const warnings: string[] = [];
  const warned = () => warnings.map((message): Finding => ({ check: 'engine', status: 'warning', message }));
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

function portsOf({ ROLE, METRICS_PORT }: Config): PortSetting[] {
  return [
    ...(ROLE === 'voting' ? [] : ['PORT' as const]),
    ...(ROLE === 'relay' ? [] : ['VOTE_PORT' as const]),
    ...(METRICS_PORT === undefined ? [] : ['METRICS_PORT' as const]),
  ];
}

const checkPort =
  (config: Config) =>
  (setting: PortSetting): Promise<Finding> => {
    const [host, port] = [config[hostSettingOf(setting)], config[setting]];
    const server = createServer();
    return new Promise(done => {
      server.once('error', cause => done(failed('port', listenFault(setting, config, cause))));
      server.listen({ host, port }, () => {
        const message = `${setting}=${port} on ${host} is free`;
        server.close(() => done({ check: 'port', status: 'ok', message }));
      });
    });
  };

function failed(check: Finding['check'], error: unknown): Finding {
  return { check, status: 'failed', message: (error as Error).message };
}

/** Returns what is allowed and yet hardly intended. */
export function startWarnings(config: Config): string[] {
  const mistyped = mistypedSettings().map(
    ({ given, meant }) => `${given} is no setting of this program: did you mean ${meant}?`,
  );
  return [...mistyped, openCreationWarning(config), openFilesWarning()].filter(
    warning => warning !== undefined,
  );
}

export type PortSetting = 'PORT' | 'VOTE_PORT' | 'METRICS_PORT';

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
  EACCES: 'this user may not listen there. Ports below 1024 are reserved on most systems',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no machine of this name',
};

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
