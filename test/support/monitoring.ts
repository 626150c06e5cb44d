import { ensureProgram } from './system-package.ts';

export function promtool(): string {
  return find('PROMTOOL_BIN', 'prometheus', ['promtool']);
}

export function amtool(): string {
  return find('AMTOOL_BIN', 'prometheus-alertmanager', ['amtool']);
}

function find(variable: string, name: string, programs: readonly string[]): string {
  return ensureProgram(programs, { variable, apt: name, brew: name, apk: name, dnf: name });
}
