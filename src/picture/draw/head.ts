import { fillOfRow } from '../fill.ts';
import { fitLogo, LOGO_GAP, type Size } from '../logo-size.ts';
import { lineHeightOf } from '../text.ts';
import { onAccent, SMALLEST_TEXT, typeScale } from '../themes.ts';
import type { OverlayWording } from '../wording.ts';
import type { Task } from './body.ts';
import type { ShownImage } from './look.ts';
import { PILL } from './paint.ts';
import { type Box, box, boxAt, order, type Part, part, text } from './part.ts';
import { WINNER_LAG_MS } from './row-kit.ts';
import type { State } from './state.ts';
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

export interface HeadOf {
  readonly task: Task;
  readonly state: State;
  /** Milliseconds until the deadline. */
  readonly leftMs: number;
  readonly logo: ShownImage | undefined;
  readonly title: string;
}

export function layOutHead(of: HeadOf, room: HeadRoom): Head {
  const { task, logo } = of;
  const pill = layOutPill(of);
  const shownLogo = logo && fitLogo(logo.image, room.width, room.isLow ? 0 : room.most);
  const line = Math.max(pill.height, shownLogo?.height ?? 0);
  // In a low picture the question is beside the state.
  const [above, beside] = room.isLow ? [0, pill.width + PILL_GAP] : [line + LINE_GAP, 0];
  const width = room.width - beside;
  const title =
    of.title === '' ? undefined : fitTitle(task, of.title, { ...room, width, most: room.most - above });
  const titleHeight = title?.height ?? 0;
  const height = title ? Math.max(line, above + titleHeight) : line;
  return {
    height,
    title,
    parts(top) {
      const parts = pill.parts(room.width - pill.width, top + line / 2);
      if (logo && shownLogo) parts.push(logoPart(logo, shownLogo, top + (line - shownLogo.height) / 2));
      const lower = room.isLow ? Math.max(0, (line - titleHeight) / 2) : above;
      if (title) parts.push(titlePart(title, boxAt(0, top + lower, width, titleHeight), task));
      return parts;
    },
  };
}

export function logoPart(logo: ShownImage, { width, height }: Size, y: number): Part {
  return part('logo', { at: boxAt(0, y, width, height), shape: { kind: 'image', ...logo } });
}

export function roomOfLogo(logo: Size | undefined): number {
  return logo ? logo.width + LOGO_GAP : 0;
}

export function titlePart(title: FittedLines, at: Box, { theme }: Task): Part {
  return part('title', text(at, { ...title, color: theme.text }));
}

export function fitTitle(
  { type }: Task,
  title: string,
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
export function layOutPill({ task, state, leftMs }: Pick<HeadOf, 'task' | 'state' | 'leftMs'>): Pill {
  const { type, theme, wording, picture, settings } = task;
  if (state === 'none') return { width: 0, height: 0, parts: () => [] };
  const font = { size: SMALLEST_TEXT, weight: 700 };
  if (state === 'last' && settings.countdown) {
    const seconds = wording.number(Math.ceil(leftMs / 1000));
    const width = Math.max(type.figureWidth(wording.number(10), LAST), PILL.height * 1.6) + PILL.inset;
    const height = LAST.size * 1.15;
    return {
      width,
      height,
      parts: (x, middle) => lastParts(seconds, boxAt(x, middle - height / 2, width, height), task),
    };
  }
  const words = wording.upper(stateWords(state, wording));
  const mark = state === 'vote' || state === 'last' ? 'dot' : state === 'follow' ? 'lock' : 'none';
  const before = mark === 'none' ? 0 : PILL[mark] + PILL.gap;
  const width = type.width(words, font) + 2 * PILL.inset + before;
  const radius = theme.radius === 0 ? 0 : PILL.height / 2;
  const winner = state === 'final' ? picture.all.find(({ wins }) => wins)?.id : undefined;
  const shape = { kind: 'pill', text: words, font, radius, mark, ...pillLook(state, task) } as const;
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

function lastParts(seconds: string, at: Box, { theme }: Task): Part[] {
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

function pillLook(state: State, task: Task) {
  const { theme, picture, settings } = task;
  if (state === 'vote' || state === 'last')
    return { ground: theme.accent, edge: '', ink: onAccent(theme.accent) };
  if (state === 'final') {
    const winner = picture.all.find(({ wins }) => wins);
    const { color: ground, edge = '' } = winner ? fillOfRow(winner, settings, theme) : { color: theme.text };
    return { ground, edge, ink: onAccent(ground) };
  }
  return { ground: '', edge: theme.soft, ink: theme.text };
}
