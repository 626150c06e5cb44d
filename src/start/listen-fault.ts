import type { Config } from './config.ts';

export type PortSetting = 'PORT' | 'VOTE_PORT' | 'METRICS_PORT';

/** Why nobody can listen there, in one line that names the setting. */
export function listenFault(setting: PortSetting, config: Config, cause: NodeJS.ErrnoException): Error {
  const host = hostSettingOf(setting);
  const reason = LISTEN_FAULTS[cause.code ?? ''];
  return reason
    ? new Error(`${setting}=${config[setting]} on ${host}=${config[host]}: ${reason}`, { cause })
    : cause;
}

/** Metrics are for other eyes, and so may listen elsewhere. */
export function hostSettingOf(setting: PortSetting): 'HOST' | 'METRICS_HOST' {
  return setting === 'METRICS_PORT' ? 'METRICS_HOST' : 'HOST';
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'in use by another program. Stop it or choose another port',
  EACCES: 'this user may not listen there. Ports below 1024 are reserved on most systems',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no machine of this name',
};
