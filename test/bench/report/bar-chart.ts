import { rounded } from './table.ts';

/** Horizontal bars with their figures, as SVG. */

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The least and the most of all runs. */
  readonly low: number;
  readonly high: number;
  readonly kind: 'ours' | 'floor' | 'peer';
}

export interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
}

export interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

const TITLE = 24;
const ROW = 24;
const THICKNESS = 15;
const LABEL = 160;
/** Room for the figure behind the longest bar. */
const FIGURE = 90;
const COLORS = { ours: '#0b7a5f', floor: '#9aa3af', peer: '#c9d3e0' } as const;

export function panelHeight({ bars }: Panel): number {
  return TITLE + bars.length * ROW;
}

export function panelSvg({ title, unit, bars }: Panel, { left, top, width }: Place): string {
  const longest = Math.max(...bars.map(({ value, high }) => Math.max(value, high)), Number.MIN_VALUE);
  const scale = (width - LABEL - FIGURE) / longest;
  const rows = bars.map((bar, index) => barSvg(bar, unit, scale, left, top + TITLE + index * ROW));
  return [
    `<text x="${left}" y="${top + 12}" font-size="13.5" font-weight="600" fill="#14213d">${escapeXml(title)}</text>`,
    ...rows,
  ].join('\n');
}

function barSvg(
  { label, value, low, high, kind }: Bar,
  unit: string,
  scale: number,
  left: number,
  top: number,
) {
  const start = left + LABEL;
  const middle = top + ROW / 2;
  const length = Math.max(1.5, value * scale);
  const weight = kind === 'ours' ? '600' : '400';
  const figureAt = start + Math.max(length, high * scale) + 8;
  return [
    `<text x="${start - 10}" y="${at(middle + 4)}" font-size="12.5" font-weight="${weight}" fill="#14213d" text-anchor="end">${escapeXml(label)}</text>`,
    `<rect x="${start}" y="${at(middle - THICKNESS / 2)}" width="${at(length)}" height="${THICKNESS}" rx="2.5" fill="${COLORS[kind]}"/>`,
    // From the best run to the worst.
    `<path d="M${at(start + low * scale)} ${at(middle)}H${at(start + high * scale)}" stroke="#14213d" stroke-opacity=".55" stroke-width="1.5"/>`,
    `<text x="${at(figureAt)}" y="${at(middle + 4)}" font-size="12.5" font-weight="${weight}" fill="#14213d">${rounded(value)} ${escapeXml(unit)}</text>`,
  ].join('\n');
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}

function at(position: number): string {
  return position.toFixed(1).replace(/\.0$/, '');
}
