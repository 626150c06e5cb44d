import type { Phrases } from '../../web/phrases.ts';
import { html, type Markup } from './html.ts';

const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/;
const MAX_OFFSET_MINUTES = 15 * 60;

/**
 * Reads a date field, which has no time zone, as UNIX time in milliseconds; undefined for an invalid time.
 *
 * @param offsetMinutes how far local time is ahead of UTC on that day, by a script; empty for UTC
 */
export function parseLocalTime(text: string, offsetMinutes: string): number | undefined {
  if (!LOCAL_TIME.test(text)) return undefined;
  const ms = Date.parse(`${text}Z`);
  const offset = Number(offsetMinutes);
  if (Number.isNaN(ms) || !(Math.abs(offset) <= MAX_OFFSET_MINUTES)) return undefined;
  return ms - offset * 60_000;
}

/** Writes a time for a date field, in UTC; a script converts it to local time. */
export function formatLocalTime(ms: number, precision: 'minutes' | 'seconds' = 'minutes'): string {
  return new Date(ms).toISOString().slice(0, precision === 'minutes' ? 16 : 19);
}

interface DeadlineField {
  readonly value: string;
  /** Minutes that the value is ahead of UTC; empty for UTC. */
  readonly offset: string;
  readonly fault?: string | undefined;
  readonly label: string;
  readonly hint: string;
}

export function deadlineField(
  { live }: Phrases,
  { value, offset, fault, label, hint }: DeadlineField,
): Markup {
  return html`<div class="field" data-time-field><label><span class="label">${label} <small data-zone>${live.timeInUtc}</small></span>
<input type="datetime-local" name="deadline" value="${value}"${fault !== undefined && html` aria-invalid="true"`}></label>
<input type="hidden" name="offset" value="${offset}">
${fault !== undefined && html`<small class="fault">${fault}</small>`}
<small>${hint}</small></div>`;
}

/** A required time with seconds. Its offset from UTC is sent as `<name>_offset`. @param ms UNIX time in milliseconds */
export function secondsField({ live }: Phrases, name: string, label: string, ms: number): Markup {
  return html`<div class="field" data-time-field><label><span class="label">${label} <small data-zone>${live.timeInUtc}</small></span>
<input type="datetime-local" name="${name}" step="1" required value="${formatLocalTime(ms, 'seconds')}"></label>
<input type="hidden" name="${name}_offset" value=""></div>`;
}
