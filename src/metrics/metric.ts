/**
 * Metrics as plain numbers: counting costs an addition, and names, labels and text are for whoever scrapes. Every metric is
 * declared in catalogue.ts.
 */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** Of one of the series that a histogram has, where it differs. */
  readonly metricName?: string | undefined;
}

export interface MetricOptions<Label extends string> {
  /** Without `_total`, which a counter gets in the text. */
  readonly name: `tallycast_${string}`;
  /** One sentence for whoever reads a scrape or the table of metrics. */
  readonly help: string;
  readonly labels?: readonly Label[] | undefined;
}

/** Something of a process that is measured. */
export abstract class Metric<Label extends string = string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  abstract readonly type: 'counter' | 'gauge' | 'histogram';

  constructor({ name, help, labels = [] }: MetricOptions<Label>) {
    this.name = name;
    this.help = help;
    this.labels = labels;
  }

  /** What is true now. MUST NOT reject. */
  abstract samples(): Iterable<Sample> | Promise<Iterable<Sample>>;
}

/** What counts for one set of labels. Whoever counts often keeps it. */
export interface Count {
  value: number;
}

/** Grows, and begins at 0 with its process. */
export class Counter<Label extends string = never> extends Metric<Label> {
  readonly type = 'counter';
  readonly #counts = new ByLabels<Label, Count>(() => ({ value: 0 }));

  /** Shown from the first call on, so that a rate is known from the first count on. */
  of(labels: Readonly<Record<Label, string>>): Count {
    return this.#counts.of(labels);
  }

  *samples(): Iterable<Sample> {
    for (const { labels, kept } of this.#counts) yield { labels, value: kept.value };
  }
}

export type Reading = readonly (readonly [labels: Labels, value: number])[];

/** Rises and falls, and is read where it is: at the scrape. */
export class Gauge<Label extends string = never> extends Metric<Label> {
  readonly type = 'gauge';
  readonly #readers = new Set<() => Reading | Promise<Reading>>();

  /**
   * Where there are several readers of the same labels they are added up.
   *
   * @param reader MUST NOT throw or reject @returns ends the reading
   */
  read(reader: () => Reading | Promise<Reading>): () => void {
    this.#readers.add(reader);
    return () => void this.#readers.delete(reader);
  }

  async samples(): Promise<Iterable<Sample>> {
    const sums = new ByLabels<string, Count>(() => ({ value: 0 }));
    const readings = await Promise.all([...this.#readers].map(reader => reader()));
    for (const [labels, value] of readings.flat()) sums.of(labels).value += value;
    return [...sums].map(({ labels, kept }) => ({ labels, value: kept.value }));
  }
}

/** How often something took how long. */
export class Histogram<Label extends string = never> extends Metric<Label> {
  readonly type = 'histogram';
  readonly #durations: ByLabels<Label, Durations>;

  /** @param bounds upper ones of its buckets, in seconds, rising */
  constructor(options: MetricOptions<Label>, bounds: readonly number[]) {
    super(options);
    this.#durations = new ByLabels(() => new Durations(bounds));
  }

  /** Shown from the first call on. */
  of(labels: Readonly<Record<Label, string>>): Durations {
    return this.#durations.of(labels);
  }

  *samples(): Iterable<Sample> {
    for (const { labels, kept } of this.#durations) yield* kept.samples(this.name, labels);
  }
}

/** Durations of one set of labels. */
export class Durations {
  readonly #bounds: readonly number[];
  /** Of each bucket alone, and of what is above the last bound. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** @param ms milliseconds; below 0, as clocks may have it, they are 0 */
  observe(ms: number): void {
    const seconds = ms > 0 ? ms / 1_000 : 0;
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += seconds;
  }

  *samples(name: string, labels: Labels): Iterable<Sample> {
    let count = 0;
    for (const [index, within] of this.#counts.entries()) {
      count += within;
      const le = `${this.#bounds[index] ?? '+Inf'}`;
      yield { labels: { ...labels, le }, value: count, metricName: `${name}_bucket` };
    }
    yield { labels, value: this.#sum, metricName: `${name}_sum` };
    yield { labels, value: count, metricName: `${name}_count` };
  }
}

/** What is kept for each set of labels, made when it is first asked for. */
class ByLabels<Label extends string, Kept> {
  readonly #make: () => Kept;
  readonly #all = new Map<string, { readonly labels: Labels; readonly kept: Kept }>();

  constructor(make: () => Kept) {
    this.#make = make;
  }

  of(labels: Readonly<Record<Label, string>>): Kept {
    let key = '';
    for (const label in labels) key += `${labels[label]}\n`;
    const known = this.#all.get(key);
    if (known) return known.kept;
    const kept = this.#make();
    this.#all.set(key, { labels, kept });
    return kept;
  }

  [Symbol.iterator](): Iterator<{ readonly labels: Labels; readonly kept: Kept }> {
    return this.#all.values();
  }
}
