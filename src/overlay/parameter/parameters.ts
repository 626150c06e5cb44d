import { choice, color, flag, number, type Parameter } from './parameter.ts';

export const drawingStyles = ['bars', 'columns', 'donut', 'versus', 'ticker', 'big-number', 'code'] as const;
export type DrawingStyle = (typeof drawingStyles)[number];

export const themeNames = ['dark', 'light', 'flat', 'outline'] as const;
export type ThemeName = (typeof themeNames)[number];

/**
 * Every parameter of an overlay's URL: the overlay parses its URL with this table, the builder renders its form
 * from it, and the README prints it. Their texts are in `src/locales`, at `builder.parameters`.
 */
export const parameters = {
  style: choice('look', drawingStyles, 'bars'),
  theme: choice('look', themeNames, 'dark'),
  answer: number('look', [1, 100, 1, ''], null),

  values: choice('content', ['percent', 'count', 'both'], 'both'),
  sort: choice('content', ['votes', 'order'], 'votes'),
  top: number('content', [1, 100, 1, ''], null),
  scale: choice('content', ['auto', 'total', 'leader'], 'auto'),
  decimals: number('content', [0, 2, 1, ''], 0),
  title: flag('content', true),
  total: flag('content', true),
  countdown: flag('content', true),
  qr: choice('content', ['none', 'right', 'left'], 'none'),
  winner: flag('content', true),
  lang: { kind: 'language', group: 'content', fallback: null },

  align: choice('place', ['left', 'center', 'right'], 'left'),
  valign: choice('place', ['top', 'middle', 'bottom'], 'bottom'),
  size: number('place', [50, 250, 1, '%'], 100),
  width: number('place', [20, 100, 1, '%'], null),
  margin: number('place', [0, 20, 0.5, '%'], 5),

  colors: { kind: 'colors', group: 'design', fallback: null },
  patterns: flag('design', false),
  font: { kind: 'font', group: 'design', fallback: null },
  plate: color,
  edge: color,
  text: color,
  soft: color,
  track: color,
  accent: color,
  stroke: color,
  strokewidth: number('design', [0, 6, 0.5, 'px'], null),
  radius: number('design', [0, 60, 1, 'px'], null),
  bar: number('design', [0, 40, 1, 'px'], null),
  padding: number('design', [0, 80, 1, 'px'], null),
  blur: number('design', [0, 40, 1, 'px'], null),

  speed: number('motion', [0, 4, 0.25, '×'], 1),
  reveal: choice('motion', ['rise', 'instant'], 'rise'),
  turn: number('motion', [2, 60, 1, 's'], 6),
  hide: number('motion', [0, 3600, 1, 's'], 0),
  hz: number('motion', [1, 20, 1, ''], 10),

  rehearsal: flag('rehearsal', false),
  moment: choice('rehearsal', ['voting', 'waiting', 'upcoming', 'hidden', 'tie', 'closed', 'away'], 'voting'),
  cast: choice('rehearsal', ['short', 'two', 'many', 'long', 'rtl'], 'short'),
} as const satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof parameters;
