import type { Contender, RunningContender } from '../contender/contender.ts';

/** One figure of one run. */
export interface Sample {
  /** Under what circumstances: `10,000 subscribers`. Figures are compared within a scene only. */
  readonly scene: string;
  readonly contender: string;
  readonly metric: string;
  readonly unit: string;
  readonly value: number;
}

/** The medians that a target is judged by. */
export interface Standing {
  readonly value: number;
  /** To the control row; NaN where there was none. */
  readonly ratio: number;
  /** The same figure of everyone else in the scene. */
  readonly others: ReadonlyMap<string, number>;
  /** Another figure of the same row; NaN without one. */
  readonly also: (metric: string) => number;
}

export interface Target {
  readonly scene?: string;
  readonly contender: string;
  readonly metric: string;
  /** What has to be reached, in words. */
  readonly text: string;
  readonly isMet: (standing: Standing) => boolean;
}

export interface Bench {
  readonly name: string;
  readonly title: string;
  /** Whose figures the others are divided by. */
  readonly control: string | undefined;
  readonly targets: readonly Target[];
  run(context: Context): Promise<Sample[]>;
}

export interface Context {
  readonly quick: boolean;
  /** Contenders that can take part and were asked for. */
  readonly contenders: readonly Contender[];
  /** Says why something is not measured. */
  note(text: string): void;
  progress(text: string): void;
}

/** Starts each contender in turn, measures it and stops it. One that fails is left out with its reason. */
export async function forEach(
  { contenders, note, progress }: Context,
  measure: (contender: Contender, running: RunningContender) => Promise<Sample[]>,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const contender of contenders) {
    progress(contender.name);
    let running: RunningContender | undefined;
    try {
      running = await contender.start();
      samples.push(...(await measure(contender, running)));
    } catch (error) {
      note(`${contender.name}: ${error instanceof Error ? error.message : error}`);
    } finally {
      await running?.stop();
    }
  }
  return samples;
}

/** Short forms for one row of figures: `['CPU per frame', 'µs', 8.5]`. */
export function row(
  scene: string,
  contender: string,
  figures: readonly (readonly [metric: string, unit: string, value: number])[],
): Sample[] {
  return figures.map(([metric, unit, value]) => ({ scene, contender, metric, unit, value }));
}

/** @param sorted ascending */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.filter(value => !Number.isNaN(value)).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
