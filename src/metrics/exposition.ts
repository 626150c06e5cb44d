import { AggregatorRegistry, collectDefaultMetrics, type Metric as PromMetric, Registry } from 'prom-client';
import { METRICS } from './catalogue.ts';

/** The metrics of a process as others read them: what knows prom-client, loaded only where somebody may scrape. */

export const CONTENT_TYPE = Registry.OPENMETRICS_CONTENT_TYPE;

/** What one process tells, to be sent to another one. */
export type Scrape = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

const PREFIX = 'tallycast_';
/** They list every socket, which stops a relay with a hundred thousand of them for a moment at each scrape. */
const COSTLY = ['active_handles', 'active_requests', 'active_resources'];

const registry = new Registry();
for (const metric of METRICS) {
  const { name, help, type } = metric;
  const get = async () => ({ name, help, type, aggregator: 'sum', values: [...(await metric.samples())] });
  // A metric is what has a name and can be got: numbers are kept where they are counted, and not by the library.
  registry.registerMetric({ name, get } as unknown as PromMetric);
}

/** Adds Node's own, which are measured from then on. */
export function measureNode(): void {
  collectDefaultMetrics({ prefix: PREFIX, register: registry });
  for (const name of COSTLY)
    for (const end of ['', '_total']) registry.removeSingleMetric(`${PREFIX}nodejs_${name}${end}`);
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
