/** Metrics as plain numbers, so that counting costs one addition. Declared in catalogue.ts. */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  readonly metricName?: string | undefined;
}

/** Without `_total`, which the text of a counter adds. */
export type MetricName = `tallycast_${string}`;

export abstract class Metric<Label extends string = string> {
  readonly name: MetricName;
  /** One sentence for a scrape and the README. */
  readonly help: string;
  readonly labels: readonly Label[];
  abstract readonly type: 'counter' | 'gauge' | 'histogram';

  constructor(name: MetricName, help: string, labels: readonly Label[] = []) {
    this.name = name;
    this.help = help;
    this.labels = labels;
  }

  /** Returns the current values. MUST NOT reject. */
  abstract samples(): Iterable<Sample> | Promise<Iterable<Sample>>;
}

/** The count for one set of labels. Keep it instead of looking it up for each event. */
export interface Count {
  value: number;
}

export class Counter<Label extends string = never> extends Metric<Label> {
  readonly type = 'counter';
  readonly #counts = new ByLabels<Label, Count>(() => ({ value: 0 }));

  /** Part of each scrape from the first call on, so that a rate includes the first count. */
  of(labels: Readonly<Record<Label, string>>): Count {
    return this.#counts.of(labels);
  }

  *samples(): Iterable<Sample> {
    for (const { labels, kept } of this.#counts) yield { labels, value: kept.value };
  }
}

export type LabeledValues = readonly (readonly [labels: Labels, value: number])[];

export class Gauge<Label extends string = never> extends Metric<Label> {
  readonly type = 'gauge';
  readonly #readers = new Set<() => LabeledValues | Promise<LabeledValues>>();

  /** Adds a reader, which MUST NOT throw or reject. Values with the same labels are added up. @returns removes it */
  read(reader: () => LabeledValues | Promise<LabeledValues>): () => void {
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

export class Histogram<Label extends string = never> extends Metric<Label> {
  readonly type = 'histogram';
  readonly #durations: ByLabels<Label, Durations>;

  /** @param bounds upper bounds of the buckets in seconds, ascending */
  constructor(name: MetricName, help: string, labels: readonly Label[], bounds: readonly number[]) {
    super(name, help, labels);
    this.#durations = new ByLabels(() => new Durations(bounds));
  }

  of(labels: Readonly<Record<Label, string>>): Durations {
    return this.#durations.of(labels);
  }

  *samples(): Iterable<Sample> {
    for (const { labels, kept } of this.#durations) yield* kept.samples(this.name, labels);
  }
}

export class Durations {
  readonly #bounds: readonly number[];
  /** Not cumulative; the last one is above all bounds. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** @param ms milliseconds; a negative duration, from differing clocks, counts as 0 */
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

/** One value for each set of labels, created on first use. */
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
