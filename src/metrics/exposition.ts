import { AggregatorRegistry, collectDefaultMetrics, type Metric as PromMetric, Registry } from 'prom-client';
import { eventLoopLagSeconds, METRICS } from './catalogue.ts';

/** The metrics of a process as others read them: what knows prom-client, loaded only where somebody may scrape. */

export const CONTENT_TYPE = Registry.OPENMETRICS_CONTENT_TYPE;

/** What one process tells, to be sent to another one. */
export type Scrape = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

const PREFIX = 'tallycast_';
/** The first three list every socket, which stops a relay with a hundred thousand of them for a moment at each scrape. */
const LEFT_OUT = /_nodejs_(?:active_(?:handles|requests|resources)|eventloop_lag)/;
/** Its monitor of the event loop wakes the process a hundred times a second, for 4 % of what 2,000 subscribers take; ours stands below. */
const NEVER_MS = 2 ** 31 - 1;
const LAG_EVERY_MS = 100;

const registry = new Registry();
for (const metric of METRICS) {
  const { name, help, type } = metric;
  const get = async () => ({ name, help, type, aggregator: 'sum', values: [...(await metric.samples())] });
  // A metric is what has a name and can be got: numbers are kept where they are counted, and not by the library.
  registry.registerMetric({ name, get } as unknown as PromMetric);
}

/** Adds Node's own, which are measured from then on. */
export function measureNode(): void {
  collectDefaultMetrics({ prefix: PREFIX, register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const { name } of registry.getMetricsAsArray())
    if (LEFT_OUT.test(name)) registry.removeSingleMetric(name);
  let dueMs = performance.now() + LAG_EVERY_MS;
  setInterval(() => {
    const nowMs = performance.now();
    eventLoopLagSeconds.observe(nowMs - dueMs);
    dueMs = nowMs + LAG_EVERY_MS;
  }, LAG_EVERY_MS).unref();
}

export async function scrape(): Promise<Scrape> {
  return registry.getMetricsAsJSON();
}

/** Processes side by side: added up, a process that ended would look to a rate as if all of them had begun anew. */
export function labelled(scraped: Scrape, worker: number): Scrape {
  return scraped.map(metric => ({
    ...metric,
    values: metric.values.map(value => ({ ...value, labels: { ...value.labels, worker } })),
  }));
}

/** OpenMetrics text of one process or several. */
export function exposition(scrapes: readonly Scrape[]): Promise<string> {
  const named = scrapes.map(metrics =>
    // The text adds it to every counter.
    metrics.map(metric => ({ ...metric, name: metric.name.replace(/_total$/, '') })),
  );
  const together = AggregatorRegistry.aggregate<typeof CONTENT_TYPE>(named);
  together.setContentType(CONTENT_TYPE);
  return together.metrics();
}
