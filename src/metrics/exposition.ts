import { readdirSync, readFileSync } from 'node:fs';
import { constants, type NodeGCPerformanceDetail, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import { eventLoopLagSeconds, METRICS } from './catalogue.ts';
import { Histogram, type Labels, type Metric, type Sample } from './metric.ts';

/** The metrics of a process as OpenMetrics text. */

export const CONTENT_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** A metric with its samples, as plain data that a worker can send to its supervisor. */
interface Family extends Pick<Metric, 'name' | 'help' | 'type'> {
  readonly samples: readonly Sample[];
}

export type Scrape = readonly Family[];

const LAG_EVERY_MS = 100;
const GC_BOUNDS = [0.001, 0.01, 0.1, 1, 2, 5];
const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/** The metrics of Node.js: event loop lag and garbage collection since `measureNode`, and what it knows at a scrape. */
export interface NodeMetrics {
  readonly gcSeconds: Histogram<'kind'>;
}

/** Starts to measure. */
export function measureNode(): NodeMetrics {
  const gcSeconds = new Histogram(
    'tallycast_nodejs_gc_duration_seconds',
    'Duration of garbage collections by kind',
    ['kind'],
    GC_BOUNDS,
  );
  let dueMs = performance.now() + LAG_EVERY_MS;
  setInterval(() => {
    const nowMs = performance.now();
    eventLoopLagSeconds.observe(nowMs - dueMs);
    dueMs = nowMs + LAG_EVERY_MS;
  }, LAG_EVERY_MS).unref();
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as typeof entry & { detail: NodeGCPerformanceDetail };
      gcSeconds.of({ kind: GC_KINDS[detail.kind] ?? 'other' }).observe(entry.duration);
    }
  }).observe({ entryTypes: ['gc'] });
  return { gcSeconds };
}

/** @param node if the process measures Node.js */
export async function scrape(node?: NodeMetrics): Promise<Scrape> {
  const declared = node ? [...METRICS, node.gcSeconds] : METRICS;
  const families = declared.map(async metric => {
    const { name, help, type } = metric;
    return { name, help, type, samples: [...(await metric.samples())] };
  });
  return [...(await Promise.all(families)), ...(node ? nodeFamilies() : [])];
}

/** Labels samples by worker. If they were added up, `rate()` would see the end of one worker as a reset of all. */
export function labeled(scraped: Scrape, worker: number): Scrape {
  return scraped.map(family => ({
    ...family,
    samples: family.samples.map(sample => ({ ...sample, labels: { ...sample.labels, worker: `${worker}` } })),
  }));
}

export function exposition(scrapes: readonly Scrape[]): string {
  const lines = new Map<string, string[]>();
  for (const { name, help, type, samples } of scrapes.flat()) {
    const family = lines.get(name) ?? [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`];
    lines.set(name, family);
    const ending = type === 'counter' ? '_total' : '';
    for (const { labels, value, metricName = name + ending } of samples)
      family.push(`${metricName}${labelText(labels)} ${value}`);
  }
  return [...[...lines.values()].flat(), '# EOF', ''].join('\n');
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** Named as in `prom-client`, with the prefix `tallycast_`. */
function nodeFamilies(): Family[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const [major, minor, patch] = process.versions.node.split('.') as [string, string, string];
  const spaces = (figure: 'space_size' | 'space_used_size' | 'space_available_size') =>
    getHeapSpaceStatistics().map(space => ({
      labels: { space: space.space_name.replace(/_space$/, '') },
      value: space[figure],
    }));
  return [
    family('counter', 'process_cpu_user_seconds', 'User CPU time', user / 1e6),
    family('counter', 'process_cpu_system_seconds', 'System CPU time', system / 1e6),
    family('counter', 'process_cpu_seconds', 'User and system CPU time', (user + system) / 1e6),
    family('gauge', 'process_start_time_seconds', 'Start of the process, as UNIX time', STARTED_S),
    family('gauge', 'process_resident_memory_bytes', 'Resident memory', rss),
    ...linuxFamilies(),
    family('gauge', 'nodejs_heap_size_total_bytes', "Size of V8's heap", heapTotal),
    family('gauge', 'nodejs_heap_size_used_bytes', "Used size of V8's heap", heapUsed),
    family('gauge', 'nodejs_external_memory_bytes', "Memory of objects outside V8's heap", external),
    family('gauge', 'nodejs_heap_space_size_total_bytes', 'Size of a heap space', spaces('space_size')),
    family('gauge', 'nodejs_heap_space_size_used_bytes', 'Used heap space', spaces('space_used_size')),
    family(
      'gauge',
      'nodejs_heap_space_size_available_bytes',
      'Free heap space',
      spaces('space_available_size'),
    ),
    family('gauge', 'nodejs_version_info', 'Always 1', [
      { labels: { version: process.version, major, minor, patch }, value: 1 },
    ]),
  ];
}

const STARTED_S = Math.round(Date.now() / 1000 - process.uptime());

/** Metrics from /proc, on Linux only. */
function linuxFamilies(): Family[] {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1024;
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const maxFds = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.NaN);
    // Without the descriptor that reads the folder.
    const openFds = readdirSync('/proc/self/fd').length - 1;
    return [
      family('gauge', 'process_virtual_memory_bytes', 'Virtual memory', bytes('VmSize')),
      family('gauge', 'process_heap_bytes', 'Data segment of the process', bytes('VmData')),
      family('gauge', 'process_open_fds', 'Open file descriptors', openFds),
      family('gauge', 'process_max_fds', 'Limit of open file descriptors', maxFds),
    ];
  } catch {
    return [];
  }
}

function family(type: Family['type'], name: string, help: string, figure: number | Sample[]): Family {
  const samples = typeof figure === 'number' ? [{ labels: {}, value: figure }] : figure;
  return { name: `tallycast_${name}`, help, type, samples };
}
