import { ensureProgram } from './system-package.ts';

/** Vitest global setup: makes sure that there is a redis-server, or stops the run with what to install. */
export default function setup(): void {
  redisServerProgram();
}

export function redisServerProgram(): string {
  return ensureProgram(['redis-server', 'valkey-server'], {
    variable: 'REDIS_SERVER_BIN',
    apt: 'redis-server',
    brew: 'redis',
    apk: 'redis',
    dnf: 'valkey',
  });
}
