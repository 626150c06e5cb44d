import { fitLogo, LOGO_GAP, type Size } from '../logo-size.ts';
import type { Picture } from '../picture.ts';
import { marks } from '../row-look.ts';
import { styleTraits } from '../styles.ts';
import { lineHeightOf } from '../text.ts';
import { onAccent, SMALLEST_TEXT, type Theme, typeScale } from '../themes.ts';
import type { OverlayWording } from '../wording.ts';
import type { Asked, Composed } from './body.ts';
import { callOf } from './notes.ts';
import { markRoom, PILL } from './paint.ts';
import { type Box, boxAt, type Part, part, text } from './part.ts';
import { type State, stateOf } from './state.ts';
import type { FittedLines } from './type-setter.ts';

/** The head of a panel: logo, state and question. */

const STATE = { size: SMALLEST_TEXT, weight: 700 };
const LAST = { size: 2 * SMALLEST_TEXT, weight: 800 };
/** The last seconds drain an edge. */
const LAST_S = 10;
/** Between the line of the state and the question. */
const LINE_GAP = 16;
/** The call to vote in chat, where it has a line of its own. */
const CALL = 44;
/** Between the question and a state beside it. */
const PILL_GAP = 24;
/** Between state and question in one line: the question moves so far while it enters. */
const BESIDE_GAP = 44;
/** Least width of a first line beside the state. */
const LEAST_BESIDE = 240;
/** State and call take no more of the line of a low question. */
const HALF = 0.5;
/** The largest question of a panel, and its lines: usually, and where it has the room. */
export const USUAL_TITLE = { size: typeScale.title.size as number, lines: 2, mostLines: 4 };
/** Those of a full picture: usually, and where the question would be cut. */
export const FULL_TITLE = { size: 60, lines: 2, mostLines: 4 };
export const LONG_TITLE = { lines: 2, mostLines: 9 };
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
  /** What the first lines of the question end beside. */
  readonly beside?: Size;
}

/** The state shares the first line of the question, unless that has no room beside a logo or a call to vote in chat. */
export function layOutHead(of: Composed, room: HeadRoom): Head {
  const { poll, settings, theme, around } = of;
  const logo = layOutLogo(of, room.width, room.isLow ? 0 : room.most);
  const pill = layOutPill(of, room.isLow ? room.width * HALF : room.width - (logo?.taken ?? 0));
  const line = Math.max(pill.height, logo?.height ?? 0);
  // No word of the question moves for the next state.
  const reserved = BESIDE_GAP + (room.isLow ? pill.width : Math.max(pill.width, widestState(of)));
  const hasTitle = settings.title && poll.title !== '';
  const isShared = !logo && !around.chatLabels && room.width - reserved >= LEAST_BESIDE;
  const fitBeside = () => fitTitle(of, { ...room, beside: { width: reserved, height: pill.height } });
  const beside = hasTitle && (room.isLow || isShared) ? fitBeside() : undefined;
  const isBeside = beside !== undefined && (room.isLow || !beside.isBroken);
  const above = isBeside ? 0 : line + LINE_GAP;
  const title = isBeside || !hasTitle ? beside : fitTitle(of, { ...room, most: room.most - above });
  const titleHeight = title?.height ?? 0;
  // No wider than its lines, so that it stays within the panel while it grows.
  const titleWidth = title ? of.type.widest(title.lines, title.font) : 0;
  // The middle of the first line is that of the state.
  const titleTop = isBeside ? Math.max(0, (line - beside.lineHeight) / 2) : above;
  return {
    height: title ? Math.max(line, titleTop + titleHeight) : line,
    title,
    parts(top) {
      const middle = isBeside ? Math.max(line, beside.lineHeight) / 2 : line / 2;
      return [
        ...pill.parts(room.width - pill.width, top + middle),
        ...(logo ? [logo.part(top + (line - logo.height) / 2)] : []),
        ...(title ? [titlePart(title, boxAt(0, top + titleTop, titleWidth, titleHeight), theme)] : []),
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

function fitTitle(
  { type, poll: { title } }: Asked,
  { width, most, usual, answerSize, isLow, beside, ...room }: HeadRoom,
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
  return type.fitOne(title, { weight, largest, floor, width, lines, beside });
}

interface Pill {
  readonly width: number;
  readonly height: number;
  parts(x: number, middle: number): Part[];
}

/**
 * The state, and how to vote in chat before it or, without that room, below it: filled while one
 * can vote and at the end, an outline in between. Its colors are never those of an answer.
 *
 * @param room for both beside each other
 */
export function layOutPill(of: Composed, room = 0): Pill {
  const { type, theme, wording, picture, settings, nowMs } = of;
  const state = stateOf(picture, nowMs);
  if (state === 'none') return { width: 0, height: 0, parts: () => [] };
  const words = wording.upper(stateWords(state, wording, picture));
  const mark = markOf(state);
  const leftMs = (picture.deadlineMs ?? Number.POSITIVE_INFINITY) - nowMs;
  // A presenter's screen has the time in large figures.
  const isTimed =
    mark === 'dot' && settings.countdown && !styleTraits[settings.style].isOffAir && Number.isFinite(leftMs);
  const isLast = isTimed && state === 'last';
  const seconds = Math.ceil(leftMs / 1000);
  const time = isLast ? wording.number(seconds) : isTimed ? wording.timeLeft(leftMs) : '';
  const timeFont = isLast ? LAST : STATE;
  const timeWidth = isTimed
    ? PILL.gap + type.figureWidth(isLast ? wording.number(LAST_S) : time, timeFont)
    : 0;
  const own = type.width(words, STATE) + 2 * PILL.inset + markRoom(mark) + timeWidth;
  const radius = theme.radius === 0 ? 0 : PILL.height / 2;
  const look = pillLook(state, of);
  const shape = { kind: 'pill', text: words, time, font: STATE, timeFont, radius, mark, ...look } as const;
  const call = callOf(of);
  const callWidth = call === '' ? 0 : type.width(call, typeScale.note);
  const isBelow = own + PILL_GAP + callWidth > room;
  const width = callWidth === 0 ? own : isBelow ? Math.max(own, callWidth) : own + PILL_GAP + callWidth;
  return {
    width,
    height: PILL.height + (callWidth > 0 && isBelow ? CALL : 0),
    parts(x, middle) {
      const top = middle - this.height / 2;
      const value = isLast ? (seconds - 1) / LAST_S : 0;
      const at = boxAt(x + width - own, top, own, PILL.height, { value });
      const state = part('state', { at, shape }, { from: { alpha: 0 }, ...(isLast && { ms: 1_000 }) });
      if (callWidth === 0) return [state];
      const callTop = isBelow ? top + PILL.height : top;
      const callBox = boxAt(
        x + (isBelow ? width - callWidth : 0),
        callTop,
        callWidth,
        isBelow ? CALL : PILL.height,
      );
      return [state, part('chat', text(callBox, { lines: [call], font: typeScale.note, color: theme.text }))];
    },
  };
}

/** The width of the widest state. */
export function widestState({ type, wording, settings, around }: Asked): number {
  const late = around.lateMs ? (['late'] as const) : [];
  const states = [...late, 'soon', 'vote', 'closed', 'follow', 'final', 'empty'] as const;
  const time = settings.countdown ? PILL.gap + type.figureWidth(wording.timeLeft(0), STATE) : 0;
  const widths = states.map(state => {
    const words = type.width(wording.upper(stateWords(state, wording)), STATE);
    return words + markRoom(markOf(state)) + (state === 'vote' ? time : 0);
  });
  return Math.max(...widths) + 2 * PILL.inset;
}

function markOf(state: State) {
  if (state === 'vote' || state === 'last') return 'dot';
  return state === 'follow' || state === 'secret' ? 'lock' : 'none';
}

export function stateWords(state: State, wording: OverlayWording, picture?: Picture): string {
  const { phrases } = wording;
  if (state === 'secret' && picture) return wording.shown(picture.all);
  const { upcoming, voteNow, countingLast, votingClosed, hidden, closed, noVotes } = phrases;
  return {
    none: '',
    soon: upcoming,
    vote: voteNow,
    last: voteNow,
    late: countingLast,
    closed: votingClosed,
    follow: hidden,
    final: closed,
    empty: noVotes,
    secret: hidden,
  }[state];
}

function pillLook(state: State, { theme, settings }: Composed) {
  const isFilled = ['vote', 'last', 'final', 'empty'].includes(state);
  if (!isFilled) return { ground: '', edge: theme.soft, ink: theme.text };
  const ground = markOf(state) === 'dot' ? (settings.accent ?? marks.dark.accent) : theme.text;
  return { ground, edge: '', ink: onAccent(ground) };
}
