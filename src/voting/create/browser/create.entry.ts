import { fill } from '../../../locales/i18n.ts';
import { find, focusNotice, localizeTimes, runEach } from '../../page/browser/dom.ts';
import { prepareCopyFields, prepareTimeFields } from '../../page/browser/fields.ts';
import { phrases, wording } from '../../page/browser/i18n.ts';

const MAX_ROWS = 100;

runEach(
  () => prepareTimeFields(document),
  prepareAnswerRows,
  () => localizeTimes(document),
  focusNotice,
  () => prepareCopyFields(document),
);

/** Adds rows in place. Enter moves to the next field, because browsers would press the form's first button, which adds a row. */
function prepareAnswerRows(): void {
  const box = find(document, 'answers');
  const more = find<HTMLButtonElement>(document, 'more');
  if (!box || !more) return;
  const addRow = () => addRowAfter([...box.querySelectorAll<HTMLElement>('.row')], more);
  more.addEventListener('click', event => {
    event.preventDefault();
    addRow()?.focus();
  });
  more.form?.addEventListener('keydown', event => {
    const field = event.target;
    if (event.key !== 'Enter' || event.isComposing || !(field instanceof HTMLInputElement)) return;
    event.preventDefault();
    const isLastAnswer =
      [...box.querySelectorAll('.row input')].at(-1) === field && field.value.trim() !== '';
    (isLastAnswer ? addRow() : fieldAfter(field, more))?.focus();
  });
}

function fieldAfter(field: HTMLInputElement, more: HTMLButtonElement): HTMLElement | undefined {
  const fields = [...(more.form?.elements ?? [])] as HTMLElement[];
  return fields
    .slice(fields.indexOf(field) + 1)
    .find(other => other !== more && other.tagName !== 'FIELDSET' && other.offsetParent !== null);
}

function addRowAfter(rows: HTMLElement[], more: HTMLButtonElement): HTMLInputElement | undefined {
  const last = rows.at(-1);
  if (!last || rows.length >= MAX_ROWS) return undefined;
  const row = last.cloneNode(true) as HTMLElement;
  const name = fill(phrases.answer, { number: wording.number(rows.length + 1) });
  const field = row.querySelector('input')!;
  row.querySelector('.fault')?.remove();
  row.querySelector('span')!.textContent = name;
  field.removeAttribute('aria-invalid');
  field.value = '';
  field.placeholder = name;
  last.after(row);
  more.hidden = rows.length + 1 >= MAX_ROWS;
  return field;
}
