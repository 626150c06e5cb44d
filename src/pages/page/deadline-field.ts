import type { Phrases } from '../../locales/phrases.ts';
import { html, type Markup } from './html.ts';
import { formatWallTime } from './wall-time.ts';

interface DeadlineField {
  readonly value: string;
  /** Minutes that the value is ahead of UTC; empty for UTC. */
  readonly offset: string;
  readonly fault?: string | undefined;
  readonly label: string;
  readonly hint: string;
}

export function deadlineField(
  { vote }: Phrases,
  { value, offset, fault, label, hint }: DeadlineField,
): Markup {
  return html`<div class="field" data-time-field><label><span class="label">${label} <small data-zone>${vote.timeInUtc}</small></span>
<input type="datetime-local" name="deadline" value="${value}"${fault !== undefined && html` aria-invalid="true"`}></label>
<input type="hidden" name="offset" value="${offset}">
${fault !== undefined && html`<small class="fault">${fault}</small>`}
<small>${hint}</small></div>`;
}

/** A required time with seconds. Its offset from UTC is sent as `<name>_offset`. @param ms UNIX time in milliseconds */
export function secondsField({ vote }: Phrases, name: string, label: string, ms: number): Markup {
  return html`<div class="field" data-time-field><label><span class="label">${label} <small data-zone>${vote.timeInUtc}</small></span>
<input type="datetime-local" name="${name}" step="1" required value="${formatWallTime(ms, 'seconds')}"></label>
<input type="hidden" name="${name}_offset" value=""></div>`;
}
