import { choice, color, flag, number, type Parameter } from './parameter.ts';

const styles = {
  bars: 'Bars',
  columns: 'Columns',
  donut: 'Donut',
  versus: 'Versus',
  ticker: 'Ticker',
  'big-number': 'Big number',
  code: 'Code to scan',
};
export type DrawingStyle = keyof typeof styles;
export const drawingStyles = Object.keys(styles) as readonly DrawingStyle[];

const themeWords = { dark: 'Dark glass', light: 'Light glass', flat: 'Flat', outline: 'Outline' };
export type ThemeName = keyof typeof themeWords;
export const themeNames = Object.keys(themeWords) as readonly ThemeName[];

/**
 * Every parameter that an overlay's URL may carry. This table is the only place that knows them: the page
 * reads its URL by it, the builder draws its form from it, the documentation is printed from it.
 */
export const parameters = {
  style: choice('Picture', 'Style', styles, 'bars', 'How the results are drawn.'),
  theme: choice('Picture', 'Theme', themeWords, 'dark', 'The backing and the colours of the text.'),
  answer: number(
    ['Picture', 'Which answer'],
    [1, 100, 1, ''],
    null,
    'Big number: which answer, by its place in the poll; else the leader.',
  ),

  values: choice(
    'Words and figures',
    'Figures',
    { percent: 'Per cent', count: 'Votes', both: 'Both' },
    'both',
    'Percentages, counts, or both.',
  ),
  sort: choice(
    'Words and figures',
    'Order of the answers',
    { votes: 'Most votes first', order: 'As in the poll' },
    'votes',
    'Most votes first, or the order of the poll.',
  ),
  top: number(
    ['Words and figures', 'At most so many answers'],
    [1, 100, 1, 'answers'],
    null,
    'At most so many answers; else as many as fit.',
  ),
  scale: choice(
    'Words and figures',
    'A full bar means',
    { auto: 'As the style needs', total: 'All votes', leader: 'The votes of the leader' },
    'auto',
    'A full bar means all votes, or the votes of the leader; auto: all votes, but for columns the leader.',
  ),
  decimals: number(
    ['Words and figures', 'Decimals of a percentage'],
    [0, 2, 1, ''],
    0,
    'Digits after the point of a percentage.',
  ),
  title: flag('Words and figures', 'Title', true, 'Show the title of the poll.'),
  total: flag('Words and figures', 'Number of votes', true, 'Show how many votes there are.'),
  countdown: flag(
    'Words and figures',
    'Time left',
    true,
    'Show the time left where the poll has a deadline.',
  ),
  qr: choice(
    'Words and figures',
    'Code to scan',
    { none: 'None', right: 'On the right', left: 'On the left' },
    'none',
    'A QR code that leads phones to the vote, the address in words under it, beside the results; below or above them where it is narrow.',
  ),
  winner: flag('Words and figures', 'Mark of the winner', true, 'Mark the winner, or a tie, at the end.'),
  lang: {
    kind: 'language',
    group: 'Words and figures',
    label: 'Language',
    fallback: null,
    about: 'Language of words and numbers; else that of the browser.',
  },

  align: choice(
    'Place and size',
    'Across',
    { left: 'Left', center: 'Centre', right: 'Right' },
    'left',
    'Where on screen, across.',
  ),
  valign: choice(
    'Place and size',
    'Up and down',
    { top: 'Top', middle: 'Middle', bottom: 'Bottom' },
    'bottom',
    'Where on screen, up and down.',
  ),
  size: number(
    ['Place and size', 'Size'],
    [50, 250, 1, '%'],
    100,
    'Size of everything. Below 100, text gets smaller than is legible across a room.',
  ),
  width: number(
    ['Place and size', 'Width of the panel'],
    [20, 100, 1, '%'],
    null,
    'Width of the panel, of what the safe area leaves; else what the style needs.',
  ),
  margin: number(
    ['Place and size', 'Free edge of the screen'],
    [0, 20, 0.5, '%'],
    5,
    'The edge that stays free on each side: the title-safe area.',
  ),

  colors: {
    kind: 'colors',
    group: 'Colours and type',
    label: 'Colours of the answers',
    fallback: null,
    about: 'Colours of the answers, in the order of the poll; else the palette.',
  },
  patterns: flag(
    'Colours and type',
    'Patterns beside the colours',
    false,
    'Fill with patterns, so that nobody has to tell colours apart.',
  ),
  font: {
    kind: 'font',
    group: 'Colours and type',
    label: 'Font',
    fallback: null,
    about: 'A font installed on the machine that draws; else its own.',
  },
  plate: color('Backing', 'The backing behind everything.'),
  edge: color('Line around the backing', 'The thin line around the backing.'),
  text: color('Text', 'Titles, answers and figures.'),
  soft: color('Quiet text', 'The quieter text: counts, footer.'),
  track: color('Empty part of a bar', 'What a bar runs on.'),
  accent: color('Winner', 'The mark of the winner.'),
  stroke: color('Outline of the text', 'The outline of the text.'),
  strokewidth: number(
    ['Colours and type', 'Thickness of the outline'],
    [0, 6, 0.5, 'px'],
    null,
    'How thick the outline of the text is; else as the theme has it.',
  ),
  radius: number(
    ['Colours and type', 'Round corners of the backing'],
    [0, 60, 1, 'px'],
    null,
    'How round the backing is; else as the theme has it.',
  ),
  bar: number(
    ['Colours and type', 'Round ends of the bars'],
    [0, 40, 1, 'px'],
    null,
    'How round a bar is; else as the theme has it.',
  ),
  padding: number(
    ['Colours and type', 'Room inside the backing'],
    [0, 80, 1, 'px'],
    null,
    'The room between the edge of the backing and what is on it.',
  ),
  blur: number(
    ['Colours and type', 'Blur of what lies behind'],
    [0, 40, 1, 'px'],
    null,
    'Blurs what lies behind on the same page. In a browser source nothing does.',
  ),

  speed: number(
    ['Motion and time', 'Speed of motion'],
    [0, 4, 0.25, '×'],
    1,
    'How fast things move; 0 changes without motion.',
  ),
  reveal: choice(
    'Motion and time',
    'Reveal of hidden results',
    { rise: 'From last to first', instant: 'All at once' },
    'rise',
    'How hidden results come: from the last place to the first, or all at once.',
  ),
  turn: number(
    ['Motion and time', 'Time for a group of answers'],
    [2, 60, 1, 's'],
    6,
    'Ticker: how long a group of answers stays.',
  ),
  hide: number(
    ['Motion and time', 'Leaves after the end'],
    [0, 3600, 1, 's'],
    0,
    'Take everything off so long after the end; 0 leaves it.',
  ),
  hz: number(['Motion and time', 'Updates'], [1, 20, 1, 'a second'], 10, 'At most so many updates.'),

  rehearsal: flag('Rehearsal', 'Rehearsal', false, 'Draw simulated votes, plainly marked, touching no poll.'),
  moment: choice(
    'Rehearsal',
    'Moment',
    {
      voting: 'Voting',
      waiting: 'Waiting for a vote',
      upcoming: 'Not open yet',
      hidden: 'Hidden',
      tie: 'Tie',
      closed: 'Closed',
      away: 'Relay away',
    },
    'voting',
    'Which moment of a poll to rehearse.',
  ),
  cast: choice(
    'Rehearsal',
    'Answers',
    {
      short: 'Five short ones',
      two: 'Two',
      many: 'A hundred',
      long: 'Long ones',
      rtl: 'Right to left',
    },
    'short',
    'Which answers to rehearse with.',
  ),
} as const satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof parameters;
