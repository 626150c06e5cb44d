import { html, type Markup } from './html.ts';

interface DeadlineField {
  /** As a date field has it. */
  readonly value: string;
  /** Minutes that the value is ahead of UTC; empty for UTC itself. */
  readonly offset: string;
  readonly fault?: string | undefined;
}

/** The script beside the page moves UTC to local time and says so. */
export function deadlineField({ value, offset, fault }: DeadlineField): Markup {
  return html`<div class="field" data-moment><label><span class="label">Voting ends <small data-zone>(time in UTC)</small></span>
<input type="datetime-local" name="deadline" value="${value}"${fault !== undefined && html` aria-invalid="true"`}></label>
<input type="hidden" name="offset" value="${offset}">
${fault !== undefined && html`<small class="fault">${fault}</small>`}
<small>Left empty, voting ends when you close it.</small></div>`;
}
