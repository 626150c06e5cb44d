import type { Picture, PictureRow } from '../picture.ts';
import { type Motion, times } from './film.ts';
import { WINNER_LAG_MS } from './row-kit.ts';

type Ranked = Pick<PictureRow, 'id' | 'votes' | 'leads'>;

/** Between two answers of an entrance, at speed 1. */
const GAP_MS = 60;
/** Until the second place of a reveal is complete. */
const SECOND_PLACE_MS = 2_000;
/** From the last place to the second, and the longest gap between two answers. */
const REVEAL_MS = SECOND_PLACE_MS - times.cross - times.enter;
const LONGEST_GAP_MS = 320;

/** Returns the delay of each row of an entrance, by its id: after those of the poll before have left. */
export function entranceDelays(rows: readonly Ranked[], speed: number): Map<string, number> {
  return new Map(rows.map(({ id }, at) => [id, (times.leave + at * GAP_MS) / speed]));
}

/**
 * Returns the delay of each row of a reveal: last place first. The second place is complete within
 * two seconds for any number of answers; then comes the pause, then the winner, or all that share
 * the first place. Nothing precedes an only answer, so it has no pause.
 *
 * @param pauseMs at any speed
 */
export function revealDelays(rows: readonly Ranked[], speed: number, pauseMs: number): Map<string, number> {
  const others = rows.filter(({ leads }) => !leads).reverse();
  others.sort((one, other) => one.votes - other.votes);
  const last = Math.max(0, others.length - 1);
  const gapMs = Math.min(LONGEST_GAP_MS, REVEAL_MS / Math.max(1, last)) / speed;
  const firstMs = times.cross / speed;
  const winnerMs = others.length === 0 ? firstMs : firstMs + last * gapMs + times.enter / speed + pauseMs;
  return new Map(rows.map(row => [row.id, row.leads ? winnerMs : firstMs + others.indexOf(row) * gapMs]));
}

/**
 * Returns the motion of a reveal, or of a step of one: what is newly known comes in the order of
 * `revealDelays`, the last two places of a reveal by steps together. Where nothing is new, the
 * whole reveal is repeated.
 *
 * @param before the picture on air @param pauseMs at any speed
 */
export function revealMotion(
  before: Picture | undefined,
  after: Picture | undefined,
  speed: number,
  pauseMs: number,
): Motion {
  const known = new Set(before?.rows.flatMap(({ id, isRevealed }) => (isRevealed ? [id] : [])));
  const all = (after?.rows ?? []).filter(({ isRevealed }) => isRevealed);
  const fresh = all.filter(({ id }) => !known.has(id));
  const rows = fresh.length > 0 ? fresh : all;
  const isTogether = before?.revealedFrom !== undefined && before.unrevealed === 2;
  const delays = isTogether ? sameDelays(rows, speed) : revealDelays(rows, speed, pauseMs);
  return {
    kind: 'reveal',
    speed,
    rows: new Set(rows.map(({ id }) => id)),
    delayMs: row => delays.get(row) ?? 0,
  };
}

/** A winner's row comes with its plate, and the other one waits for it. */
function sameDelays(rows: readonly PictureRow[], speed: number): Map<string, number> {
  return new Map(rows.map(({ id, wins }) => [id, wins ? 0 : WINNER_LAG_MS / speed]));
}
