import { find } from '../../../pages/page/browser/dom.ts';
import { readStoredJson, store } from '../../../pages/page/browser/stored.ts';
import type { AnswerRows } from './answer-rows.ts';

const SLOT = 'tallycast-last-poll';
/** What the next poll has of its own, and what only one form may send. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'once',
  'key',
  'title',
  'description',
  'image',
  'deadline',
  'offset',
  'mip',
]);

/** Keeps answers and settings of the form in this tab, for "like my last poll". */
export function prepareLastPoll(form: HTMLFormElement, rows: AnswerRows): void {
  form.addEventListener('submit', () => {
    if (new FormData(form).has('forget')) return;
    const fields = [...new FormData(form)].filter(
      ([name, value]) => !OWN_FIELDS.has(name) && typeof value === 'string',
    );
    store('sessionStorage', SLOT, JSON.stringify(fields));
  });
  const button = find<HTMLButtonElement>(form, 'again');
  const last = readLast();
  if (!button || !last) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    fillForm(form, last);
    rows.replace(last.getAll('answer'), last.getAll('color'));
    form.querySelector<HTMLInputElement>('[name=title]')?.focus();
  });
}

function readLast(): URLSearchParams | undefined {
  const fields = new URLSearchParams(readStoredJson('sessionStorage', SLOT) as string[][] | undefined);
  return fields.getAll('answer').some(answer => answer.trim() !== '') ? fields : undefined;
}

function fillForm(form: HTMLFormElement, fields: URLSearchParams): void {
  for (const field of form.querySelectorAll<HTMLInputElement>('input:not([type=hidden])')) {
    if (OWN_FIELDS.has(field.name) || field.closest('[data-answers]')) continue;
    const isTicked = fields.getAll(field.name).includes(field.value);
    if (['radio', 'checkbox'].includes(field.type)) field.checked = isTicked;
    else field.value = fields.get(field.name) ?? '';
    const isOther = field.checked !== field.defaultChecked || field.value !== field.defaultValue;
    if (isOther) field.closest('details')?.setAttribute('open', '');
  }
}
