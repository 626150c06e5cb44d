import { describeValue, type Parameter } from './parameter.ts';

export const drawingStyles = ['bars', 'columns', 'donut', 'versus', 'ticker', 'big-number'] as const;
export type DrawingStyle = (typeof drawingStyles)[number];

export const themeNames = ['dark', 'light', 'flat', 'outline'] as const;
export type ThemeName = (typeof themeNames)[number];

export const valueDisplays = ['percent', 'count', 'both'] as const;
export type ValueDisplay = (typeof valueDisplays)[number];

/**
 * Every parameter that an overlay's URL may carry. This table is the only place that knows them: the page
 * reads its URL by it, the builder draws its form from it, the documentation is printed from it.
 */
export const parameters = {
  style: choice('Picture', drawingStyles, 'bars', 'How the results are drawn.'),
  theme: choice('Picture', themeNames, 'dark', 'The backing and the colours of the text.'),
  answer: number(
    'Picture',
    1,
    100,
    1,
    '',
    null,
    'Big number: which answer, by its place in the poll; else the leader.',
  ),

  values: choice('Content', valueDisplays, 'both', 'Percentages, counts, or both.'),
  sort: choice('Content', ['votes', 'order'], 'votes', 'Most votes first, or the order of the poll.'),
  top: number('Content', 1, 100, 1, 'answers', null, 'At most so many answers; else as many as fit.'),
  scale: choice(
    'Content',
    ['auto', 'total', 'leader'],
    'auto',
    'A full bar means all votes, or the votes of the leader; auto: all votes, but for columns the leader.',
  ),
  decimals: number('Content', 0, 2, 1, '', 0, 'Digits after the point of a percentage.'),
  title: flag('Content', true, 'Show the title of the poll.'),
  total: flag('Content', true, 'Show how many votes there are.'),
  countdown: flag('Content', true, 'Show the time left where the poll has a deadline.'),
  winner: flag('Content', true, 'Mark the winner, or a tie, at the end.'),
  lang: {
    kind: 'language',
    group: 'Content',
    fallback: null,
    about: 'Language of words and numbers; else that of the browser.',
  },

  align: choice('Place', ['left', 'center', 'right'], 'left', 'Where on screen, across.'),
  valign: choice('Place', ['top', 'middle', 'bottom'], 'bottom', 'Where on screen, up and down.'),
  size: number(
    'Place',
    50,
    250,
    1,
    '%',
    100,
    'Size of everything. Below 100, text gets smaller than is legible across a room.',
  ),
  width: number(
    'Place',
    20,
    100,
    1,
    '%',
    null,
    'Width of the panel, of what the safe area leaves; else what the style needs.',
  ),
  margin: number('Place', 0, 20, 0.5, '%', 5, 'The edge that stays free on each side: the title-safe area.'),

  colors: {
    kind: 'colors',
    group: 'Look',
    fallback: null,
    about: 'Colours of the answers, in the order of the poll; else the palette.',
  },
  patterns: flag('Look', false, 'Fill with patterns, so that nobody has to tell colours apart.'),
  font: {
    kind: 'font',
    group: 'Look',
    fallback: null,
    about: 'A font installed on the machine that draws; else its own.',
  },
  plate: color('The backing behind everything.'),
  edge: color('The thin line around the backing.'),
  text: color('Titles, answers and figures.'),
  soft: color('The quieter text: counts, footer.'),
  track: color('What a bar runs on.'),
  accent: color('The mark of the winner.'),
  stroke: color('The outline of the text.'),
  strokewidth: number(
    'Look',
    0,
    6,
    0.5,
    'px',
    null,
    'How thick the outline of the text is; else as the theme has it.',
  ),
  radius: number('Look', 0, 60, 1, 'px', null, 'How round the backing is; else as the theme has it.'),
  bar: number('Look', 0, 40, 1, 'px', null, 'How round a bar is; else as the theme has it.'),
  padding: number(
    'Look',
    0,
    80,
    1,
    'px',
    null,
    'The room between the edge of the backing and what is on it.',
  ),
  blur: number(
    'Look',
    0,
    40,
    1,
    'px',
    null,
    'Blurs what lies behind on the same page. In a browser source nothing does.',
  ),

  speed: number('Motion and time', 0, 4, 0.25, '×', 1, 'How fast things move; 0 changes without motion.'),
  reveal: choice(
    'Motion and time',
    ['rise', 'instant'],
    'rise',
    'How hidden results come: from the last place to the first, or all at once.',
  ),
  turn: number('Motion and time', 2, 60, 1, 's', 6, 'Ticker: how long a group of answers stays.'),
  hide: number(
    'Motion and time',
    0,
    3600,
    1,
    's',
    0,
    'Take everything off so long after the end; 0 leaves it.',
  ),
  hz: number('Motion and time', 1, 20, 1, 'a second', 10, 'At most so many updates.'),

  rehearsal: flag('Rehearsal', false, 'Draw simulated votes, plainly marked, touching no poll.'),
  moment: choice(
    'Rehearsal',
    ['voting', 'waiting', 'upcoming', 'hidden', 'tie', 'closed', 'away'],
    'voting',
    'Which moment of a poll to rehearse.',
  ),
  cast: choice(
    'Rehearsal',
    ['short', 'two', 'many', 'long', 'rtl'],
    'short',
    'Which answers to rehearse with.',
  ),
} as const satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof parameters;

function choice<const C extends readonly string[]>(
  group: Parameter['group'],
  choices: C,
  fallback: C[number],
  about: string,
) {
  return { kind: 'choice', group, choices, fallback, about } as const;
}

function flag(group: Parameter['group'], fallback: boolean, about: string) {
  return { kind: 'flag', group, fallback, about } as const;
}

function number<const F extends number | null>(
  group: Parameter['group'],
  min: number,
  max: number,
  step: number,
  unit: string,
  fallback: F,
  about: string,
) {
  return { kind: 'number', group, min, max, step, unit, fallback, about } as const;
}

function color(about: string) {
  return {
    kind: 'color',
    group: 'Look',
    fallback: null,
    about: `${about} Else as the theme has it.`,
  } as const;
}

/** All parameters of an overlay's URL as a Markdown table, for the README. */
export function parameterTable(): string {
  const rows = Object.entries<Parameter>(parameters).map(([name, parameter]) =>
    [`\`${name}\``, describeValue(parameter), describeFallback(parameter), parameter.about].join(' | '),
  );
  return [
    '| parameter | value | default | what it does |',
    '|---|---|---|---|',
    ...rows.map(row => `| ${row} |`),
  ].join('\n');
}

function describeFallback({ fallback }: Parameter): string {
  if (typeof fallback === 'boolean') return fallback ? '`1`' : '`0`';
  return fallback === null ? '' : `\`${fallback}\``;
}
