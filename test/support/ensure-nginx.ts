import { ensureProgram } from './system-package.ts';

/** Vitest global setup: makes sure that there is an nginx, or stops the run with what to install. */
export default function setup(): void {
  nginxProgram();
}

export function nginxProgram(): string {
  return ensureProgram(['nginx'], {
    variable: 'NGINX_BIN',
    apt: 'nginx',
    brew: 'nginx',
    apk: 'nginx',
    dnf: 'nginx',
  });
}
