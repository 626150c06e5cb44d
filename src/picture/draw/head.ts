import { fitLogo, LOGO_GAP, type Size } from '../logo-size.ts';
import { lineHeightOf } from '../text.ts';
import { onAccent, SMALLEST_TEXT, typeScale } from '../themes.ts';
import type { OverlayWording } from '../wording.ts';
import { fillIn, order, type Task, textPart, WINNER_LAG_MS } from './body.ts';
import type { Image } from './canvas.ts';
import { PILL } from './paint.ts';
import { type Part, place } from './part.ts';
import type { State } from './state.ts';
import type { FittedText } from './type-setter.ts';

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
  readonly title: FittedText | undefined;
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
  readonly logo: { readonly image: Image; readonly name: string } | undefined;
  readonly title: string;
}

export function layOutHead(of: HeadOf, room: HeadRoom): Head {
  const { task, logo, title: text } = of;
  const pill = layOutPill(of);
  const shownLogo = logo && fitLogo(logo.image, room.width, room.isLow ? 0 : room.most);
  const line = Math.max(pill.height, shownLogo?.height ?? 0);
  // In a low picture the question is beside the state.
  const [above, beside] = room.isLow ? [0, pill.width + PILL_GAP] : [line + LINE_GAP, 0];
  const width = room.width - beside;
  const title = text === '' ? undefined : fitTitle(task, text, { ...room, width, most: room.most - above });
  const titleHeight = title ? title.lines[0]!.length * title.lineHeight : 0;
  const height = title ? Math.max(line, above + titleHeight) : line;
  return {
    height,
    title,
    parts(top) {
      const parts = pill.parts(room.width - pill.width, top + line / 2);
      if (logo && shownLogo) parts.push(logoPart(logo, shownLogo, top + (line - shownLogo.height) / 2));
      const lower = room.isLow ? Math.max(0, (line - titleHeight) / 2) : above;
      if (title) parts.push(titlePart(title, place(0, top + lower, width, titleHeight), task));
      return parts;
    },
  };
}

export function logoPart(logo: NonNullable<HeadOf['logo']>, { width, height }: Size, y: number): Part {
  const shape = { kind: 'image', image: logo.image, name: logo.name } as const;
  return { key: 'logo', shape, at: place(0, y, width, height), order: order.text };
}

export function roomOfLogo(logo: Size | undefined): number {
  return logo ? logo.width + LOGO_GAP : 0;
}

export function titlePart(title: FittedText, at: ReturnType<typeof place>, { theme }: Task): Part {
  const { font, lines, lineHeight } = title;
  return textPart('title', { lines: lines[0]!, font, lineHeight, color: theme.text, align: 'start' }, at);
}

export function fitTitle(
  { type }: Task,
  text: string,
  { width, most, usual, answerSize, isLow, ...room }: HeadRoom,
): FittedText | undefined {
  const linesIn = (height: number, size: number) => Math.floor(height / (size * lineHeightOf([text])));
  const lines = (size: number) =>
    Math.min(room.mostLines, linesIn(most, size), Math.max(room.lines, linesIn(usual, size)));
  const { weight } = typeScale.title;
  const largest = Math.min(Math.max(room.size, answerSize), answerSize / ANSWER_BY_TITLE);
  const wanted = Math.min(largest, Math.max(SMALLEST_TEXT, answerSize));
  // In a low picture, a small question is better than half of one.
  const floor = lines(wanted) >= 1 && !isLow ? wanted : SMALLEST_TEXT;
  if (lines(floor) < 1) return undefined;
  return type.fit([text], { weight, largest, floor, width: () => width, lines, isBalanced: true });
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
    const text = wording.number(Math.ceil(leftMs / 1000));
    const width = Math.max(type.figureWidth(wording.number(10), LAST), PILL.height * 1.6) + PILL.inset;
    const height = LAST.size * 1.15;
    return {
      width,
      height,
      parts: (x, middle) => lastParts(text, place(x, middle - height / 2, width, height), task),
    };
  }
  const text = wording.upper(stateWords(state, wording));
  const mark = state === 'vote' || state === 'last' ? 'dot' : state === 'follow' ? 'lock' : 'none';
  const before = mark === 'none' ? 0 : PILL[mark] + PILL.gap;
  const width = type.width(text, font) + 2 * PILL.inset + before;
  const radius = theme.radius === 0 ? 0 : PILL.height / 2;
  const winner = state === 'final' ? picture.all.find(({ wins }) => wins)?.id : undefined;
  return {
    width,
    height: PILL.height,
    parts: (x, middle) => [
      {
        key: 'state',
        shape: { kind: 'pill', text, font, radius, mark, ...pillLook(state, task) },
        at: place(x, middle - PILL.height / 2, width, PILL.height),
        order: order.text,
        from: { alpha: 0 },
        // Final results are named together with their winner, never before.
        ...(winner !== undefined && { row: winner, lagMs: WINNER_LAG_MS }),
      },
    ],
  };
}

function lastParts(text: string, at: ReturnType<typeof place>, { theme }: Task): Part[] {
  const radius = theme.radius === 0 ? 0 : 14;
  const color = onAccent(theme.accent);
  const lineHeight = at.height;
  const written = { lines: [text], font: LAST, lineHeight, color, align: 'center', isPlain: true } as const;
  return [
    {
      key: 'last',
      shape: { kind: 'box', fill: { color: theme.accent, pattern: undefined }, radius },
      at,
      order: order.text,
    },
    // Each second is a part of its own, which takes the place of the one before at once.
    textPart(`last ${text}`, written, at, { order: order.badge, ms: 1 }),
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
  const { theme, picture } = task;
  if (state === 'vote' || state === 'last')
    return { ground: theme.accent, edge: '', ink: onAccent(theme.accent) };
  if (state === 'final') {
    const winner = picture.all.find(({ wins }) => wins);
    const { color: ground, edge = '' } = winner ? fillIn(winner, task) : { color: theme.text };
    return { ground, edge, ink: onAccent(ground) };
  }
  return { ground: '', edge: theme.soft, ink: theme.text };
}
