import { faces } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { drawSmaller, smallImage } from '../../../pages/page/browser/answer-image.ts';
import {
  create,
  find,
  focusNotice,
  namePressed,
  quietButton,
  runEach,
} from '../../../pages/page/browser/dom.ts';
import { prepareTimeFields } from '../../../pages/page/browser/fields.ts';
import { phrases } from '../../../pages/page/browser/i18n.ts';
import { AnswerRows } from './answer-rows.ts';
import { markFault, prepareFaults } from './field-faults.ts';
import { prepareLastPoll } from './last-poll.ts';

runEach(() => prepareTimeFields(document), prepareAnswers, preparePictures, focusNotice);

/** Enter moves to the next field, because browsers would press the form's first button, which adds a row. */
function prepareAnswers(): void {
  const form = find<HTMLFormElement>(document, 'create');
  const box = find(document, 'answers');
  const more = find<HTMLButtonElement>(document, 'more');
  if (!form || !box || !more) return;
  const rows = new AnswerRows(box, more);
  form.addEventListener('keydown', event => {
    const field = event.target;
    if (event.key !== 'Enter' || event.isComposing || !(field instanceof HTMLInputElement)) return;
    event.preventDefault();
    (rows.isLastFilled(field) ? rows.add() : fieldAfter(form, field))?.focus();
  });
  for (const button of box.querySelectorAll<HTMLButtonElement>('[data-fill]'))
    button.addEventListener('click', event => {
      event.preventDefault();
      rows.replace(JSON.parse(button.dataset['fill'] ?? '[]'));
    });
  prepareLastPoll(form, rows);
  prepareFaults(form);
}

/**
 * Pictures follow the poll: the form creates it, the pictures go to the relay with its key, and the
 * same form, sent again, opens the page of the same poll. Without this script there are no
 * pictures.
 */
function preparePictures(): void {
  const form = find<HTMLFormElement>(document, 'create');
  if (!form) return;
  for (const hidden of form.querySelectorAll<HTMLElement>('.face-fields [hidden], [data-script]'))
    hidden.hidden = false;
  form.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement && target.type === 'file') void showChosen(target);
  });
  form.addEventListener('submit', event => {
    const fields = [
      form.querySelector<HTMLInputElement>('[data-question] [type=file]'),
      ...[...form.querySelectorAll<HTMLElement>('.row')]
        .filter(row => row.querySelector('input')?.value.trim() !== '')
        .map(row => row.querySelector<HTMLInputElement>('[type=file]')),
    ];
    if (event.defaultPrevented || !fields.some(fileOf)) return;
    event.preventDefault();
    void sendWithPictures(form, fields, event.submitter as HTMLButtonElement);
  });
}

/** Pixels for a box of 44, sharp on a phone. */
const PREVIEW_SIDE = 132;

/** Shows a picture beside the field that chose it, with a button that takes it back. */
async function showChosen(field: HTMLInputElement): Promise<void> {
  const box = field.parentElement!;
  box.querySelector('[data-chosen]')?.remove();
  markFault(field, '');
  const file = field.files?.[0];
  if (!file) return;
  const image = await createImageBitmap(file).catch(() => undefined);
  if (field.files?.[0] !== file) return image?.close();
  if (!image) {
    field.value = '';
    return markFault(field, fill(faces.failed, { answer: field.dataset['owner']! }));
  }
  const takeBack = quietButton('✕', () => {
    field.value = '';
    chosen.remove();
    field.focus();
  });
  takeBack.dataset['label'] = 'noPicture';
  takeBack.ariaLabel = fill(faces.noPicture, { answer: field.dataset['short']! });
  const chosen = create('span', { 'data-chosen': '' }, drawSmaller(image, PREVIEW_SIDE), takeBack);
  image.close();
  field.after(chosen);
}

/** Fields for files: of the question, then of the answers. */
type PictureFields = readonly (HTMLInputElement | null)[];

function fileOf(field: PictureFields[number]): File | undefined {
  return field?.files?.[0];
}

let isSending = false;

async function sendWithPictures(
  form: HTMLFormElement,
  fields: PictureFields,
  button: HTMLButtonElement,
): Promise<void> {
  if (isSending) return;
  isSending = true;
  const word = button.firstElementChild!;
  const label = word.textContent;
  word.textContent = phrases.sending;
  namePressed(form, button);
  const failed = await savePictures(form, fields).catch(() => []);
  word.textContent = label;
  isSending = false;
  // Also without a reply, and for faults: the browser shows what the server says.
  if (failed.length === 0) return form.submit();
  namePressed(form);
  for (const field of failed) markFault(field, fill(faces.failed, { answer: field.dataset['owner']! }));
  failed[0]!.closest('.field')?.scrollIntoView({ block: 'center' });
}

/** @returns the fields whose pictures were not saved */
async function savePictures(form: HTMLFormElement, fields: PictureFields): Promise<HTMLInputElement[]> {
  const body = new URLSearchParams(new FormData(form) as unknown as Record<string, string>);
  const reply = await fetch(form.action, { method: 'POST', body });
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
  const { created, key = '', answers = '' } = find(page, 'created')?.dataset ?? {};
  if (created === undefined) return [];
  const owners = ['', ...answers.split(' ').map(id => `/answer/${id}`)];
  const failed: HTMLInputElement[] = [];
  for (const [index, field] of fields.entries()) {
    const file = fileOf(field);
    if (!field || !file) continue;
    const url = `${form.dataset['relay']}/api/poll/${created}${owners[index]}/image`;
    const save = async () =>
      (await fetch(url, { method: 'PUT', headers: { 'x-api-key': key }, body: await smallImage(file) })).ok;
    if (!(await save().catch(() => false))) failed.push(field);
  }
  return failed;
}

function fieldAfter(form: HTMLFormElement, field: HTMLInputElement): HTMLElement | undefined {
  const fields = [...form.elements] as HTMLElement[];
  return fields
    .slice(fields.indexOf(field) + 1)
    .find(
      other =>
        other.tagName !== 'FIELDSET' &&
        other.offsetParent !== null &&
        !other.matches('[data-answers] button'),
    );
}
