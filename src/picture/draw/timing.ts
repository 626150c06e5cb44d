import type { Picture, PictureRow } from '../picture.ts';
import { type Motion, times } from './film.ts';

/** Between two answers of an entrance, at speed 1. */
const GAP_MS = 40;
/** From the last place of a reveal to the one before the last two. */
const REVEAL_MS = 1_500;
const LONGEST_GAP_MS = 320;
/** In which the last two rise, as far as the second one goes. */
const LOCKSTEP_MS = 1_600;

/** Returns the delay of each row of an entrance, by its id. */
export function entranceDelays(rows: readonly Pick<PictureRow, 'id'>[], speed: number): Map<string, number> {
  return new Map(rows.map(({ id }, at) => [id, (at * GAP_MS) / speed]));
}

export interface Reveal {
  readonly motion: Motion;
  /** Until the winner may go on: the last two are complete, and a pause is over. */
  readonly holdMs: number;
}

/**
 * Returns the motion of a reveal, or of a step of one. What a step shows passes in front of what is
 * still hidden. Of a whole reveal, the last place comes first. The last two are level, stay in
 * their places where nothing else is new, and rise in lockstep. Where nothing is new, the whole
 * reveal is repeated.
 *
 * @param before the picture on air @param after with the last two level @param pauseMs at any speed
 */
export function revealMotion(
  before: Picture | undefined,
  after: Picture | undefined,
  speed: number,
  pauseMs: number,
): Reveal {
  const known = new Set(before?.rows.flatMap(({ id, isRevealed }) => (isRevealed ? [id] : [])));
  const all = (after?.rows ?? []).filter(({ isRevealed }) => isRevealed);
  const fresh = all.filter(({ id }) => !known.has(id));
  const shown = fresh.length > 0 ? fresh : all;
  const rows = new Set(shown.map(({ id }) => id));
  const isStep = before?.revealedFrom !== undefined || after?.unrevealed !== 0;
  const most = Math.max(...all.map(({ votes }) => votes));
  const last = new Set(shown.filter(({ votes }) => votes > 0 && votes === most).map(({ id }) => id));
  if (last.size < 2 && isStep) return { motion: { kind: 'change', speed, front: rows }, holdMs: 0 };
  const lockstep = last.size < 2 ? undefined : { rows: last, ms: LOCKSTEP_MS };
  const riseMs = (lockstep ? LOCKSTEP_MS : times.rise) / speed;
  const startMs = (times.out + times.change) / speed;
  if (last.size === rows.size && fresh.length > 0)
    return { motion: { kind: 'change', speed, lockstep }, holdMs: startMs + riseMs + pauseMs };
  const delays = revealDelays(shown, speed, lockstep ? 0 : pauseMs);
  const motion = {
    kind: 'reveal',
    speed,
    rows,
    lockstep,
    delayMs: (row: string) => delays.get(row) ?? 0,
  } as const;
  return { motion, holdMs: Math.max(...delays.values()) + startMs + riseMs + pauseMs };
}

/**
 * Returns the delay of each row of a reveal: the last place first, and those with the most votes
 * together after a pause. Nothing precedes an only answer, so it has no pause.
 *
 * @param pauseMs at any speed
 */
export function revealDelays(
  rows: readonly Pick<PictureRow, 'id' | 'votes'>[],
  speed: number,
  pauseMs: number,
): Map<string, number> {
  const most = Math.max(...rows.map(({ votes }) => votes));
  const others = most === 0 ? [...rows].reverse() : rows.filter(({ votes }) => votes < most).reverse();
  others.sort((one, other) => one.votes - other.votes);
  const last = Math.max(0, others.length - 1);
  const gapMs = Math.min(LONGEST_GAP_MS, REVEAL_MS / Math.max(1, last)) / speed;
  const lastMs = others.length === 0 ? 0 : last * gapMs + times.rise / speed + pauseMs;
  return new Map(
    rows.map(row => [row.id, most > 0 && row.votes === most ? lastMs : others.indexOf(row) * gapMs]),
  );
}
