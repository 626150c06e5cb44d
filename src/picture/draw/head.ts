import { fillOfRow } from '../fill.ts';
import { fitLogo, LOGO_GAP } from '../logo-size.ts';
import { lineHeightOf } from '../text.ts';
import { onAccent, SMALLEST_TEXT, type Theme, typeScale } from '../themes.ts';
import type { OverlayWording } from '../wording.ts';
import type { Asked, Composed } from './body.ts';
import { PILL } from './paint.ts';
import { type Box, box, boxAt, order, type Part, part, text } from './part.ts';
import { WINNER_LAG_MS } from './row-kit.ts';
import { type State, stateOf } from './state.ts';
import type { FittedLines } from './type-setter.ts';

/** The head of a panel: logo, state and question. */

const LAST = { size: 2 * SMALLEST_TEXT, weight: 800 };
/** Between the line of the state and the question. */
const LINE_GAP = 16;
/** Between the question and a state beside it. */
const PILL_GAP = 24;
/** The largest question of a panel, and its lines: usually, and where it has the room. */
export const USUAL_TITLE = { size: typeScale.title.size as number, lines: 2, mostLines: 4 };
/** Where answers would be left out otherwise. */
export const SMALL_TITLE = { size: 32, lines: 4, mostLines: 4 };
/** Answers have at least this part of the question's size. */
const ANSWER_BY_TITLE = 0.7;

export interface Head {
  readonly height: number;
  readonly title: FittedLines | undefined;
  parts(top: number): Part[];
}

export interface HeadRoom {
  readonly width: number;
  /** Height that the question may take, and what it may take where it has more than its usual lines. */
  readonly most: number;
  readonly usual: number;
  readonly answerSize: number;
  /** Every line counts. */
  readonly isLow: boolean;
  /** The largest question. */
  readonly size: number;
  readonly lines: number;
  readonly mostLines: number;
}

export function layOutHead(of: Composed, room: HeadRoom): Head {
  const { poll, settings, theme } = of;
  const pill = layOutPill(of);
  const logo = layOutLogo(of, room.width, room.isLow ? 0 : room.most);
  const line = Math.max(pill.height, logo?.height ?? 0);
  // In a low picture the question is beside the state.
  const [above, beside] = room.isLow ? [0, pill.width + PILL_GAP] : [line + LINE_GAP, 0];
  const width = room.width - beside;
  const hasTitle = settings.title && poll.title !== '';
  const title = hasTitle ? fitTitle(of, { ...room, width, most: room.most - above }) : undefined;
  const titleHeight = title?.height ?? 0;
  return {
    height: title ? Math.max(line, above + titleHeight) : line,
    title,
    parts(top) {
      const lower = room.isLow ? Math.max(0, (line - titleHeight) / 2) : above;
      return [
        ...pill.parts(room.width - pill.width, top + line / 2),
        ...(logo ? [logo.part(top + (line - logo.height) / 2)] : []),
        ...(title ? [titlePart(title, boxAt(0, top + lower, width, titleHeight), theme)] : []),
      ];
    },
  };
}

/** The logo of the show, where it has room. */
export function layOutLogo({ logo, settings }: Asked, panelWidth: number, room: number) {
  const size = logo && settings.logo ? fitLogo(logo.image, panelWidth, room) : undefined;
  if (!logo || !size) return undefined;
  const { width, height } = size;
  const shape = { kind: 'image', ...logo } as const;
  return {
    height,
    /** With the gap after it. */
    taken: width + LOGO_GAP,
    part: (y: number) => part('logo', { at: boxAt(0, y, width, height), shape }),
  };
}

export function titlePart(title: FittedLines, at: Box, { text: color }: Theme): Part {
  return part('title', text(at, { ...title, color }));
}

export function fitTitle(
  { type, poll: { title } }: Asked,
  { width, most, usual, answerSize, isLow, ...room }: HeadRoom,
): FittedLines | undefined {
  const linesIn = (height: number, size: number) => Math.floor(height / (size * lineHeightOf([title])));
  const lines = (size: number) =>
    Math.min(room.mostLines, linesIn(most, size), Math.max(room.lines, linesIn(usual, size)));
  const { weight } = typeScale.title;
  const largest = Math.min(Math.max(room.size, answerSize), answerSize / ANSWER_BY_TITLE);
  const wanted = Math.min(largest, Math.max(SMALLEST_TEXT, answerSize));
  // In a low picture, a small question is better than half of one.
  const floor = lines(wanted) >= 1 && !isLow ? wanted : SMALLEST_TEXT;
  if (lines(floor) < 1) return undefined;
  return type.fitOne(title, { weight, largest, floor, width, lines, isBalanced: true });
}

interface Pill {
  readonly width: number;
  readonly height: number;
  parts(x: number, middle: number): Part[];
}

/** Filled while one can vote and at the end, an outline in between; the last seconds are a number. */
export function layOutPill(of: Composed): Pill {
  const { type, theme, wording, picture, settings, nowMs } = of;
  const state = stateOf(picture, nowMs);
  if (state === 'none') return { width: 0, height: 0, parts: () => [] };
  const font = { size: SMALLEST_TEXT, weight: 700 };
  if (state === 'last' && settings.countdown) {
    const seconds = wording.number(Math.ceil(((picture.deadlineMs ?? nowMs) - nowMs) / 1000));
    const width = Math.max(type.figureWidth(wording.number(10), LAST), PILL.height * 1.6) + PILL.inset;
    const height = LAST.size * 1.15;
    return {
      width,
      height,
      parts: (x, middle) => lastParts(seconds, boxAt(x, middle - height / 2, width, height), theme),
    };
  }
  const words = wording.upper(stateWords(state, wording));
  const mark = state === 'vote' || state === 'last' ? 'dot' : state === 'follow' ? 'lock' : 'none';
  const before = mark === 'none' ? 0 : PILL[mark] + PILL.gap;
  const width = type.width(words, font) + 2 * PILL.inset + before;
  const radius = theme.radius === 0 ? 0 : PILL.height / 2;
  const winner = state === 'final' ? picture.all.find(({ wins }) => wins)?.id : undefined;
  const shape = { kind: 'pill', text: words, font, radius, mark, ...pillLook(state, of) } as const;
  // Final results are named together with their winner, never before.
  const entering = winner === undefined ? {} : { row: winner, lagMs: WINNER_LAG_MS };
  return {
    width,
    height: PILL.height,
    parts(x, middle) {
      const at = boxAt(x, middle - PILL.height / 2, width, PILL.height);
      return [part('state', { at, shape }, { from: { alpha: 0 }, ...entering })];
    },
  };
}

function lastParts(seconds: string, at: Box, theme: Theme): Part[] {
  const color = onAccent(theme.accent);
  const written = text(at, { lines: [seconds], font: LAST, color, align: 'center', isPlain: true });
  return [
    part('last', box(at, { color: theme.accent }, theme.radius === 0 ? 0 : 14)),
    // Each second is a part of its own, which takes the place of the one before at once.
    part(`last ${seconds}`, written, { order: order.badge, ms: 1 }),
  ];
}

export function stateWords(state: State, { phrases }: OverlayWording): string {
  const { upcoming, voteNow, votingClosed, hidden, closed } = phrases;
  return {
    none: '',
    soon: upcoming,
    vote: voteNow,
    last: voteNow,
    closed: votingClosed,
    follow: hidden,
    final: closed,
  }[state];
}

function pillLook(state: State, { theme, picture, settings }: Composed) {
  if (state === 'vote' || state === 'last')
    return { ground: theme.accent, edge: '', ink: onAccent(theme.accent) };
  if (state === 'final') {
    const winner = picture.all.find(({ wins }) => wins);
    const { color: ground, edge = '' } = winner ? fillOfRow(winner, settings, theme) : { color: theme.text };
    return { ground, edge, ink: onAccent(ground) };
  }
  return { ground: '', edge: theme.soft, ink: theme.text };
}
