import { FLOOR, OURS, OURS_BY_DEFAULT, OURS_COMPACT } from '../contender/contenders.ts';
import { type Bar, escapeXml, type Panel, panelHeight, panelSvg } from './bar-chart.ts';
import type { Figure, Report } from './report.ts';

/** The picture of a report: what a frame costs, what a subscriber costs, and how late a frame is. */

const WIDTH = 760;
const MARGIN = 24;
const HEAD = 64;
const GAP = 26;
const FOOT = 18;

interface Wanted {
  readonly bench: string;
  readonly metric: string;
  readonly title: string;
  readonly unit: string;
}

const WANTED: readonly Wanted[] = [
  { bench: 'fan-out', metric: 'CPU per frame', title: 'Server CPU per delivered frame', unit: 'µs' },
  { bench: 'fan-out', metric: 'p99', title: 'Vote to frame, 99th percentile', unit: 'ms' },
  { bench: 'crowd', metric: 'RSS each', title: 'Memory per idle subscriber', unit: 'KB' },
  { bench: 'crowd', metric: 'back after a kill', title: 'All back and current after a kill', unit: 'ms' },
];

/** @returns an SVG with a background of its own, legible on light and dark pages */
export function plot(report: Report): string {
  const panels = WANTED.flatMap(wanted => panelsOf(report, wanted));
  const parts: string[] = [];
  let top = HEAD;
  for (const panel of panels) {
    parts.push(panelSvg(panel, { left: MARGIN, top, width: WIDTH - 2 * MARGIN }));
    top += panelHeight(panel) + GAP;
  }
  const height = top - GAP + MARGIN + FOOT;
  const { cpu, cores, node } = report.machine;
  const subtitle = `Less is better. Medians of ${report.runs} runs, each against all others in the same run.`;
  const footer = `${cpu}, ${cores} cores, Node ${node}. Repeat with: npm run bench${report.quick ? ' (QUICK: means nothing)' : ''}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Tallycast against what people would use instead" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif">
<rect width="${WIDTH}" height="${height}" rx="10" fill="#ffffff"/>
<text x="${MARGIN}" y="32" font-size="18" font-weight="600" fill="#14213d">One poll, many subscribers</text>
<text x="${MARGIN}" y="51" font-size="12.5" fill="#5b6472">${escapeXml(subtitle)}</text>
${parts.join('\n')}
<text x="${MARGIN}" y="${height - MARGIN + 6}" font-size="11" fill="#7a828e">${escapeXml(footer)}</text>
</svg>
`;
}

/** One for the largest crowd; the other sizes are in the table. */
function panelsOf(report: Report, { bench, metric, title, unit }: Wanted): Panel[] {
  const figures = report.benches.find(({ name }) => name === bench)?.figures ?? [];
  if (figures.length === 0) return [];
  const last = lastScene(figures);
  const shown = figures.filter(
    figure => figure.scene === last && figure.metric === metric && Number.isFinite(figure.median),
  );
  if (shown.length === 0) return [];
  const bars = shown
    .map(({ contender, median: value, runs }) => ({
      label: contender,
      value,
      low: Math.min(...runs),
      high: Math.max(...runs),
      kind: kindOf(contender),
    }))
    .sort((a, b) => a.value - b.value);
  return [{ title: `${title}, ${last}`, unit, bars }];
}

function kindOf(contender: string): Bar['kind'] {
  if ([OURS, OURS_BY_DEFAULT, OURS_COMPACT].includes(contender)) return 'ours';
  return contender === FLOOR ? 'floor' : 'peer';
}

/** Scenes differ by their number of subscribers. */
function lastScene(figures: readonly Figure[]): string {
  const size = (scene: string) => Number(scene.replace(/\D/g, ''));
  return figures.map(({ scene }) => scene).reduce((a, b) => (size(b) > size(a) ? b : a));
}
