import { fill } from '../../../web/i18n.ts';
import { find } from '../../page/browser/dom.ts';
import { phrases, wording } from '../../page/browser/i18n.ts';

const MAX_ROWS = 100;

/**
 * Adds rows in place; without this script the same button asks the server for one. Enter in a field means "next field": browsers
 * would press the first button of the form, which adds a row.
 */
export function prepareAnswerRows(root: ParentNode): void {
  const box = find(root, 'answers');
  const button = box && find<HTMLButtonElement>(box, 'more');
  if (!box || !button) return;
  const rows = () => [...box.querySelectorAll<HTMLElement>('.row')];
  button.addEventListener('click', event => {
    event.preventDefault();
    addRow(rows(), button)?.focus();
  });
  button.form?.addEventListener('keydown', event => {
    const field = event.target;
    if (event.key !== 'Enter' || event.isComposing || !(field instanceof HTMLInputElement)) return;
    event.preventDefault();
    const all = rows();
    const isLastAnswer = all.at(-1)?.contains(field) && field.value.trim() !== '';
    (isLastAnswer ? addRow(all, button) : fieldAfter(field, button))?.focus();
  });
}

/** Passes over what cannot be seen, and over the button that adds rows. */
function fieldAfter(field: HTMLInputElement, more: HTMLButtonElement): HTMLElement | undefined {
  const fields = [...(more.form?.elements ?? [])] as HTMLElement[];
  return fields
    .slice(fields.indexOf(field) + 1)
    .find(other => other !== more && other.tagName !== 'FIELDSET' && other.offsetParent !== null);
}

function addRow(rows: HTMLElement[], button: HTMLButtonElement): HTMLInputElement | undefined {
  const last = rows.at(-1);
  if (!last || rows.length >= MAX_ROWS) return undefined;
  const row = last.cloneNode(true) as HTMLElement;
  for (const fault of row.querySelectorAll('.fault')) fault.remove();
  const label = row.querySelector('span');
  const name = fill(phrases.answer, { number: wording.number(rows.length + 1) });
  if (label) label.textContent = name;
  const field = row.querySelector('input');
  if (field) {
    field.removeAttribute('aria-invalid');
    field.value = '';
    field.placeholder = name;
  }
  last.after(row);
  button.hidden = rows.length + 1 >= MAX_ROWS;
  return field ?? undefined;
}
