import type { BenchReport, Figure, Report } from './report.ts';

/** A report as text for a terminal. Ratios to the control row stand behind the figures. */
export function table(report: Report): string {
  const { cpu, cores, memoryGb, system, node } = report.machine;
  const head = [
    `${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}; medians of ${report.runs} runs`,
    ...(report.quick ? ['QUICK: sizes are tiny, the figures mean nothing.'] : []),
  ];
  return `${[...head, ...report.benches.map(benchTable)].join('\n\n')}\n`;
}

function benchTable(bench: BenchReport): string {
  const scenes = [...new Set(bench.figures.map(({ scene }) => scene))];
  const control = bench.control === undefined ? '' : ` (× ${bench.control})`;
  const blocks = scenes.map(scene =>
    sceneTable(
      scene,
      bench.figures.filter(figure => figure.scene === scene),
    ),
  );
  const verdicts = bench.verdicts.map(
    ({ isMet, scene, contender, metric, target }) =>
      `  ${isMet ? 'reached' : 'MISSED '}  ${contender}, ${scene}: ${metric} ${target}`,
  );
  const notes = bench.notes.map(note => `  note     ${note}`);
  return [`${bench.title}${control}`, ...blocks, ...verdicts, ...notes].join('\n');
}

function sceneTable(scene: string, figures: readonly Figure[]): string {
  const metrics = [...new Set(figures.map(({ metric }) => metric))];
  const rows = [...new Set(figures.map(({ contender }) => contender))].map(contender => [
    contender,
    ...metrics.map(metric =>
      cell(figures.find(figure => figure.contender === contender && figure.metric === metric)),
    ),
  ]);
  const units = metrics.map(metric => figures.find(figure => figure.metric === metric)?.unit ?? '');
  const header = [scene, ...metrics.map((metric, index) => `${metric} ${units[index]}`.trim())];
  const widths = header.map((text, column) =>
    Math.max(text.length, ...rows.map(row => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `  ${cells.map((text, column) => (column === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[column]!))).join('  ')}`;
  return [line(header), line(widths.map(width => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

function cell(figure: Figure | undefined): string {
  if (!figure || Number.isNaN(figure.median)) return '-';
  const ratio = figure.ratio === null ? '' : ` (${figure.ratio.toFixed(2)}×)`;
  return `${rounded(figure.median)}${ratio}`;
}

/** Three digits that count; more would be noise. */
export function rounded(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}
