/**
 * The design of a row of results, shared by overlay, widget and voting page. Sizes are pixels of a
 * 1080p picture, where an answer is 36 pixels high. In `row.css` they are variables (`--best-size`,
 * `--row-gap`, …), which `withSizes` replaces.
 */
export const rowType = {
  answer: { size: 36, weight: 600 },
  figure: { size: 36, weight: 700 },
  /** The leader's figure. */
  best: { size: 44, weight: 800 },
  count: { size: 30, weight: 500 },
  /** The badge of a winner, of a tie, of a voter's own choice. */
  mark: { size: 28.5, weight: 700 },
} as const;

export const rowSpace = {
  line: 48,
  air: 10,
  bar: 28,
  gap: 30,
  /** Between an answer, its badge and its figures. */
  between: 18,
  figures: 20,
} as const;

export type Tone = 'dark' | 'light';

/**
 * Colors of the answers as `#rrggbb`, in the order of the poll; further answers repeat them. OKLCH
 * values that differ in hue and lightness, searched for the largest distance of neighbors under
 * normal vision, protanopia, deuteranopia and tritanopia; as hex because OBS may not support `oklch()`.
 */
export const palettes: Readonly<Record<Tone, readonly string[]>> = {
  dark: [
    ...['#8985f4', '#feae2e', '#39dfb4', '#ea6744', '#c2affe', '#b782a2'],
    ...['#cab281', '#5aaacd', '#c61853', '#425aed', '#c08a63', '#97fe2a'],
  ],
  light: [
    ...['#5a50ba', '#bd7d01', '#13a482', '#af2f02', '#926fe2', '#82516f'],
    ...['#5095b3', '#337030', '#582476', '#810d1c', '#4372c7', '#6c935b'],
  ],
};

export const marks: Readonly<Record<Tone, { accent: string; onAccent: string }>> = {
  dark: { accent: '#ffd25e', onAccent: '#11141c' },
  light: { accent: '#8a5a00', onAccent: '#ffffff' },
};

type Variable = readonly [name: string, value: string];

/** Sizes and spaces, in the size of an answer. */
const SIZES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(rowType).flatMap(([name, { size, weight }]): Variable[] => [
    [`--${name}-size`, inAnswers(size)],
    [`--${name}-weight`, `${weight}`],
  ]),
  ...Object.entries(rowSpace).map(([name, size]): Variable => [`--row-${name}`, inAnswers(size)]),
]);

function inAnswers(pixels: number): string {
  return `${+(pixels / rowType.answer.size).toFixed(4)}em`;
}

/** Replaces the variables of sizes and spaces in a style sheet, where `1em` is the size of an answer. */
export function withSizes(css: string): string {
  return css.replace(/var\((--[\w-]+)\)/g, (whole, name) => SIZES.get(name) ?? whole);
}

/** Returns the CSS declarations for rows on a page. Text colors are left to the page. */
export function pageVariables(): string {
  return declare(pageColors('light'));
}

/** Returns the declarations that differ on a dark page. */
export function darkVariables(): string {
  return declare(pageColors('dark'));
}

function pageColors(tone: Tone): Variable[] {
  const { accent, onAccent } = marks[tone];
  const colors = palettes[tone].map((color, at): Variable => [`--hue-${at + 1}`, color]);
  return [['--accent', accent], ['--on-accent', onAccent], ...colors];
}

function declare(variables: readonly Variable[]): string {
  return variables.map(([name, value]) => `${name}: ${value};`).join(' ');
}
