/** A clock that stands still in the middle of a minute, so that no minute of a limit ends in the middle of a test. */
export function heldClock(): () => number {
  const nowMs = Math.floor(Date.now() / 60_000) * 60_000 + 30_000;
  return () => nowMs;
}
