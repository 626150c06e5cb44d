import { ensureProgram } from './system-package.ts';

/** The programs of the monitoring profile, by their names in the images. */
export function monitoringPrograms(): Readonly<Record<string, string>> {
  return {
    prometheus: find('PROMETHEUS_BIN', 'prometheus', ['prometheus']),
    alertmanager: find('ALERTMANAGER_BIN', 'prometheus-alertmanager', [
      'prometheus-alertmanager',
      'alertmanager',
    ]),
    redis_exporter: find('REDIS_EXPORTER_BIN', 'prometheus-redis-exporter', [
      'prometheus-redis-exporter',
      'redis_exporter',
    ]),
    node_exporter: find('NODE_EXPORTER_BIN', 'prometheus-node-exporter', [
      'prometheus-node-exporter',
      'node_exporter',
    ]),
    blackbox_exporter: find('BLACKBOX_EXPORTER_BIN', 'prometheus-blackbox-exporter', [
      'prometheus-blackbox-exporter',
      'blackbox_exporter',
    ]),
  };
}

export function promtool(): string {
  return find('PROMTOOL_BIN', 'prometheus', ['promtool']);
}

export function amtool(): string {
  return find('AMTOOL_BIN', 'prometheus-alertmanager', ['amtool']);
}

function find(variable: string, name: string, programs: readonly string[]): string {
  return ensureProgram(programs, { variable, apt: name, brew: name, apk: name, dnf: name });
}
