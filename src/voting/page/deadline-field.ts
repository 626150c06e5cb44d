import type { Phrases } from '../../web/phrases.ts';
import { html, type Markup } from './html.ts';

const LOCAL_MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/;
/** No clock on earth is further from UTC. */
const FURTHEST_MINUTES = 15 * 60;

/**
 * A date field of a form knows no time zone; a script adds how many minutes that day's local time is ahead of UTC. Where no
 * script ran it is empty, and the page says that the time is UTC.
 *
 * @returns UNIX time in milliseconds, or undefined where it is no moment
 */
export function readLocalMoment(text: string, offsetMinutes: string): number | undefined {
  if (!LOCAL_MOMENT.test(text)) return undefined;
  const ms = Date.parse(`${text}Z`);
  const offset = Number(offsetMinutes);
  if (Number.isNaN(ms) || !(Math.abs(offset) <= FURTHEST_MINUTES)) return undefined;
  return ms - offset * 60_000;
}

/** The same moment for a date field, in UTC: a script moves it to local time. */
export function writeMoment(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16);
}

interface DeadlineField {
  /** As a date field has it. */
  readonly value: string;
  /** Minutes that the value is ahead of UTC; empty for UTC itself. */
  readonly offset: string;
  readonly fault?: string | undefined;
  readonly label: string;
  readonly hint: string;
}

/** The script beside the page moves UTC to local time and says so. */
export function deadlineField(
  { live }: Phrases,
  { value, offset, fault, label, hint }: DeadlineField,
): Markup {
  return html`<div class="field" data-moment><label><span class="label">${label} <small data-zone>${live.timeInUtc}</small></span>
<input type="datetime-local" name="deadline" value="${value}"${fault !== undefined && html` aria-invalid="true"`}></label>
<input type="hidden" name="offset" value="${offset}">
${fault !== undefined && html`<small class="fault">${fault}</small>`}
<small>${hint}</small></div>`;
}
