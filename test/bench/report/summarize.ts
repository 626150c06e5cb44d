import { type Bench, median, type Sample, type Standing, type Target } from '../suite/bench.ts';
import type { BenchReport, Figure, Verdict } from './report.ts';

/**
 * Medians over all runs. Ratios are taken within each run first: absolute times do not hold from
 * one minute to the next.
 */
export function summarize(
  bench: Bench,
  runs: readonly (readonly Sample[])[],
  notes: readonly string[],
): BenchReport {
  const kinds = new Map<string, Sample>();
  for (const sample of runs.flat()) if (!kinds.has(keyOf(sample))) kinds.set(keyOf(sample), sample);
  const figures = [...kinds.values()].map(kind => figureOf(kind, bench.control, runs));
  return {
    name: bench.name,
    title: bench.title,
    control: bench.control,
    figures,
    verdicts: bench.targets.flatMap(target => judge(target, figures)),
    notes,
  };
}

function figureOf(kind: Sample, control: string | undefined, runs: readonly (readonly Sample[])[]): Figure {
  const values: number[] = [];
  const ratios: number[] = [];
  for (const run of runs) {
    const own = run.find(sample => keyOf(sample) === keyOf(kind));
    if (!own) continue;
    values.push(own.value);
    const other = run.find(sample => keyOf(sample) === keyOf({ ...kind, contender: control ?? '' }));
    if (other && other.value !== 0) ratios.push(own.value / other.value);
  }
  const ratio = median(ratios);
  const { scene, contender, metric, unit } = kind;
  const hasRatio = contender !== control && !Number.isNaN(ratio);
  return {
    scene,
    contender,
    metric,
    unit,
    median: median(values),
    runs: values,
    ratio: hasRatio ? ratio : null,
  };
}

function judge(target: Target, figures: readonly Figure[]): Verdict[] {
  const judged = figures.filter(
    ({ scene, contender, metric }) =>
      contender === target.contender &&
      metric === target.metric &&
      (target.scene === undefined || target.scene === scene),
  );
  return judged.map(({ scene, contender, metric, median: value, ratio }) => {
    const inScene = figures.filter(figure => figure.scene === scene);
    const standing: Standing = {
      value,
      ratio: ratio ?? Number.NaN,
      others: new Map(
        inScene
          .filter(figure => figure.metric === metric && figure.contender !== contender)
          .map(figure => [figure.contender, figure.median]),
      ),
      also: name =>
        inScene.find(figure => figure.contender === contender && figure.metric === name)?.median ??
        Number.NaN,
    };
    return { scene, contender, metric, target: target.text, isMet: target.isMet(standing) };
  });
}

function keyOf({ scene, contender, metric }: Pick<Sample, 'scene' | 'contender' | 'metric'>): string {
  return JSON.stringify([scene, contender, metric]);
}
