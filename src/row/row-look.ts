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
 * What a style sheet gives a list of rows on a page, whose own size of text is that of an answer: all that `row.css` draws with,
 * but for the colours of text. `--color-1` to `--color-6` are those of the answers, in the order of the poll, as on air.
 */
export function pageVariables(): string {
  return write([...rowVariables(`1em / ${rowType.answer.size}`), ...pageColors('light')]);
}

/** What is different on a dark page. */
export function darkVariables(): string {
  return write(pageColors('dark'));
}

function pageColors(tone: Tone): [name: string, value: string][] {
  const { accent, onAccent } = marks[tone];
  return [
    ['--accent', accent],
    ['--on-accent', onAccent],
    ...paletteColors(tone).map((color, at): [string, string] => [`--color-${at + 1}`, color]),
  ];
}

function write(variables: readonly (readonly [name: string, value: string])[]): string {
  return variables.map(([name, value]) => `${name}: ${value};`).join(' ');
}
