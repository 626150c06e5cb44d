/** Times as date fields have them: on the wall, without a zone. Scripts send the offset from UTC beside them. */

const WALL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/;
const MAX_OFFSET_MINUTES = 15 * 60;

/**
 * Reads a date field, which has no time zone, as UNIX time in milliseconds; undefined for an invalid time.
 *
 * @param offsetMinutes from `offsetOf`, by a script; empty for UTC
 */
export function parseWallTime(text: string, offsetMinutes: string): number | undefined {
  if (!WALL_TIME.test(text)) return undefined;
  const ms = Date.parse(`${text}Z`);
  const offset = Number(offsetMinutes);
  if (Number.isNaN(ms) || !(Math.abs(offset) <= MAX_OFFSET_MINUTES)) return undefined;
  return ms - offset * 60_000;
}

/** Writes a time for a date field, in UTC; a script converts it to local time. */
export function formatWallTime(ms: number, precision: 'minutes' | 'seconds' = 'minutes'): string {
  return new Date(ms).toISOString().slice(0, precision === 'minutes' ? 16 : 19);
}

/**
 * Returns by how many minutes a time on the reader's wall is ahead of UTC; empty for an invalid
 * time. As with `Date`, a time that clocks skip is as much later, and one that they show twice is
 * the first.
 */
export function offsetOf(wallTime: string): string {
  const minutes = (Date.parse(`${wallTime}Z`) - Date.parse(wallTime)) / 60_000;
  return Number.isNaN(minutes) ? '' : String(minutes);
}
