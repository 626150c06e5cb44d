import { createServer } from 'node:net';
import type { Engine } from '../engine/engine.ts';
import { type Config, FaultySettings, givenSettings, mistypedSettings, readConfig } from './config.ts';
import { openFilesWarning, requireOpenFiles } from './open-files.ts';
import { hostSettingOf, listenFault, openConfiguredEngine } from './start-servers.ts';
import { requireVpnList } from './voting-settings.ts';

/** Everything that a start could stumble over, looked at without serving anybody. */

export interface Finding {
  readonly check: 'settings' | 'limits' | 'engine' | 'port';
  readonly status: 'ok' | 'warning' | 'failed';
  /** One line. */
  readonly message: string;
  /** What the program would end with. */
  readonly exitCode?: number;
}

/** What is stored for a moment, to find out whether something can be. */
const TRIAL = 'preflight';
const TRIAL_MS = 1_000;

/** @returns what was found, in the order in which a start would meet it; nothing rejects */
export async function preflight(environment?: NodeJS.ProcessEnv): Promise<Finding[]> {
  const limits = checkLimits();
  const { findings, config } = checkSettings(environment);
  if (!config) return [...findings, ...limits];
  const [engine, ...ports] = await Promise.all([
    checkEngine(config),
    ...portsOf(config).map(checkPort(config)),
  ]);
  return [...findings, ...limits, ...engine, ...ports];
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
    requireVpnList(config);
    const set = Object.keys(givenSettings(environment));
    const message = set.length > 0 ? `ROLE=${config.ROLE}; set: ${set.join(', ')}` : 'all at their defaults';
    return { findings: [{ check: 'settings', status: 'ok', message }, ...mistyped], config };
  } catch (error) {
    const exitCode = error instanceof FaultySettings ? error.exitCode : 1;
    return { findings: [{ ...failed('settings', error), exitCode }, ...mistyped] };
  }
}

function checkLimits(): Finding[] {
  try {
    requireOpenFiles();
    const warning = openFilesWarning();
    if (warning !== undefined) return [{ check: 'limits', status: 'warning', message: warning }];
    return [{ check: 'limits', status: 'ok', message: 'files and connections enough for an audience' }];
  } catch (error) {
    return [failed('limits', error)];
  }
}

async function checkEngine(config: Config): Promise<Finding[]> {
  const warnings: Finding[] = [];
  let engine: Engine | undefined;
  try {
    engine = await openConfiguredEngine(config, ({ message }) =>
      warnings.push({ check: 'engine', status: 'warning', message }),
    );
    await engine.records.put(TRIAL, '', TRIAL_MS);
    const { writes, fault } = await engine.checkHealth();
    if (fault !== undefined && writes === 'none') return [failed('engine', new Error(fault))];
    if (fault !== undefined) warnings.push({ check: 'engine', status: 'warning', message: fault });
    const message = `${config.REDIS_URL === undefined ? `embedded, in ${config.DATA_DIR}` : 'redis'}; reads and writes`;
    return [{ check: 'engine', status: 'ok', message }, ...warnings];
  } catch (error) {
    return [failed('engine', error), ...warnings];
  } finally {
    await engine?.close();
  }
}

type PortSetting = 'PORT' | 'VOTE_PORT' | 'METRICS_PORT';

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
