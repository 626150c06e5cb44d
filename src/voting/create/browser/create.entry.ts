import { faces } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { smallImage } from '../../page/browser/answer-image.ts';
import { find, focusNotice, localizeTimes, runEach } from '../../page/browser/dom.ts';
import { prepareCopyFields, prepareShareRows, prepareTimeFields } from '../../page/browser/fields.ts';
import { phrases, wording } from '../../page/browser/i18n.ts';

const MAX_ROWS = 100;

runEach(
  () => prepareTimeFields(document),
  prepareAnswerRows,
  preparePictures,
  () => localizeTimes(document),
  focusNotice,
  () => prepareCopyFields(document),
  () => prepareShareRows(document),
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
      [...box.querySelectorAll('.row [name=answer]')].at(-1) === field && field.value.trim() !== '';
    (isLastAnswer ? addRow() : fieldAfter(field, more))?.focus();
  });
}

/**
 * Pictures follow the poll: the form creates it, the pictures go to the relay with its key, and the same form, sent again, opens the page
 * of the same poll. Without this script there are no pictures.
 */
function preparePictures(): void {
  const form = find<HTMLFormElement>(document, 'create');
  for (const hidden of form?.querySelectorAll<HTMLElement>('.face-fields [hidden], [data-script]') ?? [])
    hidden.hidden = false;
  form?.addEventListener('submit', event => {
    const rows = [...form.querySelectorAll<HTMLElement>('.row')].filter(
      row => row.querySelector('input')?.value.trim() !== '',
    );
    const files = rows.map(row => row.querySelector<HTMLInputElement>('[type=file]')?.files?.[0]);
    if (event.defaultPrevented || files.every(file => file === undefined)) return;
    event.preventDefault();
    void sendWithPictures(form, files);
  });
}

let isSending = false;

async function sendWithPictures(form: HTMLFormElement, files: readonly (File | undefined)[]): Promise<void> {
  if (isSending) return;
  isSending = true;
  const button = form.querySelector<HTMLButtonElement>('.cast button')!;
  const label = button.textContent;
  button.textContent = phrases.sending;
  const failed = await savePictures(form, files).catch(() => []);
  button.textContent = label;
  isSending = false;
  // Also without a reply, and for faults: the browser shows what the server says.
  if (failed.length === 0) return form.submit();
  const notice = find(form, 'failed') ?? document.createElement('p');
  notice.className = 'notice problem';
  notice.dataset['failed'] = '';
  notice.setAttribute('role', 'alert');
  const nameOf = (index: number) => fill(phrases.answer, { number: wording.number(index + 1) });
  notice.textContent = failed.map(index => fill(faces.failed, { answer: nameOf(index) })).join(' ');
  button.before(notice);
}

/** @returns the answers whose pictures were not saved */
async function savePictures(form: HTMLFormElement, files: readonly (File | undefined)[]): Promise<number[]> {
  const body = new URLSearchParams(new FormData(form) as unknown as Record<string, string>);
  const reply = await fetch(form.action, { method: 'POST', body });
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
  const { created, key = '', answers = '' } = find(page, 'created')?.dataset ?? {};
  if (created === undefined) return [];
  const ids = answers.split(' ');
  const failed: number[] = [];
  for (const [index, file] of files.entries()) {
    if (!file) continue;
    const url = `${form.dataset['relay']}/api/poll/${created}/answer/${ids[index]}/image`;
    const save = async () =>
      (await fetch(url, { method: 'PUT', headers: { 'x-api-key': key }, body: await smallImage(file) })).ok;
    if (!(await save().catch(() => false))) failed.push(index);
  }
  return failed;
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
  const number = wording.number(rows.length + 1);
  const name = fill(phrases.answer, { number });
  const field = row.querySelector('input')!;
  row.querySelector('.fault')?.remove();
  row.querySelector('span')!.textContent = name;
  field.removeAttribute('aria-invalid');
  field.value = '';
  field.placeholder = name;
  const colors = last.parentElement?.dataset['colors']?.split(' ') ?? [];
  for (const face of row.querySelectorAll<HTMLInputElement>('.face-fields input')) {
    const label = face.dataset['label'] as 'color' | 'picture';
    face.ariaLabel = fill(faces[label], { answer: number });
    face.value = label === 'color' ? (colors[rows.length % colors.length] ?? '') : '';
  }
  last.after(row);
  more.hidden = rows.length + 1 >= MAX_ROWS;
  return field;
}
