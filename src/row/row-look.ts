import { marks, paletteColors, type Tone } from './palette.ts';

/**
 * One design of a row of results, wherever it is drawn: overlay, widget and voting page. Sizes are pixels of a picture that is
 * 1080 high, in which an answer is written in 36; a page writes it in its own size, and all else in proportion. `row.css` has
 * the rules for these, which become the variables `--answer-size`, `--answer-weight`, `--gap` and so on.
 */
export const rowType = {
  answer: { size: 36, weight: 600 },
  figure: { size: 36, weight: 700 },
  /** The figure of whoever leads. */
  best: { size: 44, weight: 800 },
  count: { size: 30, weight: 500 },
  /** The mark of the winner, of a tie, of a voter's own choice. */
  mark: { size: 28.5, weight: 700 },
} as const;

export const rowSpace = {
  /** The line of text. */
  line: 48,
  /** Between the text and its bar. */
  air: 10,
  bar: 28,
  /** From one row to the next. */
  gap: 30,
  /** Between an answer, its mark and its figures. */
  between: 18,
  /** Between count and percentage. */
  figures: 20,
} as const;

/** The tables as CSS variables. @param unit one pixel of them: a length, as CSS writes it */
export function rowVariables(unit: string): [name: string, value: string][] {
  const length = (pixels: number) => `calc(${unit} * ${pixels})`;
  const types = Object.entries(rowType).flatMap(([name, { size, weight }]): [string, string][] => [
    [`--${name}-size`, length(size)],
    [`--${name}-weight`, `${weight}`],
  ]);
  return [
    ...types,
    ...Object.entries(rowSpace).map(([name, size]): [string, string] => [`--row-${name}`, length(size)]),
  ];
}

/**
 * The same for a list of rows on a page, whose own size of text is that of an answer: what `row.css` draws with, but for the
 * colours of text. `--color-1` to `--color-6` are those of the answers, in the order of the poll, as the overlay has them.
 */
export function pageVariables(tone: Tone): string {
  const { accent, onAccent } = marks[tone];
  const colors = paletteColors(tone).map((color, at): [string, string] => [`--color-${at + 1}`, color]);
  const marked: [string, string][] = [
    ['--accent', accent],
    ['--on-accent', onAccent],
  ];
  const all = [...rowVariables(`1em / ${rowType.answer.size}`), ...marked, ...colors];
  return all.map(([name, value]) => `${name}: ${value};`).join(' ');
}
