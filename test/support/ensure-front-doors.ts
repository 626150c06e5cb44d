import { ensureProgram } from './system-package.ts';

/** Vitest global setup: makes sure that what is shipped as a front door can be run, or stops the run with what to install. */
export default function setup(): void {
  caddyProgram();
  nginxProgram();
}

export function caddyProgram(): string {
  return ensureProgram(['caddy'], { variable: 'CADDY_BIN', ...everywhere('caddy') });
}

export function nginxProgram(): string {
  return ensureProgram(['nginx'], { variable: 'NGINX_BIN', ...everywhere('nginx') });
}

function everywhere(name: string) {
  return { apt: name, brew: name, apk: name, dnf: name };
}
