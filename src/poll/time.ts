const RFC_3339 = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/i;
const MINUTE_MS = 60_000;

/**
 * Reads a moment in any spelling of RFC 3339: `T` or a space, with or without decimals, in UTC or with an offset. Second 60 is
 * the next second. What is finer than a millisecond is cut off.
 *
 * @returns UNIX time in milliseconds; undefined where it is no real moment, or none of a year with four digits
 */
export function parseTime(text: string): number | undefined {
  const [, day, time, second, decimals = '', sign = '+', hours = '00', minutes = '00'] =
    RFC_3339.exec(text) ?? [];
  const leapMs = second === '60' ? 1_000 : 0;
  const local = `${day}T${time}:${leapMs ? '59' : second}.${decimals.padEnd(3, '0').slice(0, 3)}Z`;
  const localMs = Date.parse(local);
  // `Date.parse` would roll 31 February over into March, hence the way back.
  if (Number.isNaN(localMs) || formatTime(localMs) !== local) return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  const ms = localMs + leapMs + (sign === '-' ? offsetMs : -offsetMs);
  return /^\d{4}-/.test(formatTime(ms)) ? ms : undefined;
}

/** The one spelling in which moments are shown: `YYYY-MM-DDTHH:mm:ss.sssZ`. @param ms UNIX time in milliseconds */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
