/** Viewers of a stream see and hear a show some seconds after its operator. */

/** In seconds; longer than streams are behind their studio. */
export const MAX_DELAY = 60;

/**
 * Returns after how many seconds a poll closes whose vote ends on air in `closesIn`, or now. The
 * votes of viewers count until they see that end.
 *
 * @param delay seconds that viewers are behind
 * @returns undefined for at once
 */
export function closesInOf(delay: number, closesIn = 0): number | undefined {
  return delay + closesIn > 0 ? delay + closesIn : undefined;
}
