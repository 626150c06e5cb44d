import { faces } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { smallImage } from '../../../pages/page/browser/answer-image.ts';
import { element, find } from '../../../pages/page/browser/dom.ts';
import { AnswerRows } from '../../create/browser/answer-rows.ts';

/**
 * Sends the picture of an answer at once; null removes it. Resolves to the address of what is
 * stored, null for none, undefined if the picture was not changed.
 */
export type SendPicture = (answerId: string, image: Blob | null) => Promise<string | null | undefined>;

/** Brings the fields of `editFields` to life: rows of answers, and their pictures. */
export function prepareEditor(form: HTMLElement, send: SendPicture): void {
  const box = find(form, 'answers');
  if (!box) return;
  // Parsed without scripts, their fields would be sent.
  for (const unused of form.querySelectorAll('noscript')) unused.remove();
  const more = find<HTMLButtonElement>(form, 'more');
  // Without handles the answers are fixed.
  if (more && find(box, 'handle')) new AnswerRows(box, more);
  for (const field of form.querySelectorAll<HTMLElement>('[data-picture], [data-no-color]'))
    field.hidden = false;
  form.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.dataset['picture'] === undefined) return;
    const [file] = target.files ?? [];
    if (file) void change(target, () => smallImage(file));
  });
  form.addEventListener('click', event => {
    const button = (event.target as HTMLElement).closest<HTMLButtonElement>('.face-fields button');
    const row = button?.closest('.row');
    const color = button?.dataset['noColor'];
    if (!row || !button) return;
    event.preventDefault();
    if (color !== undefined) element(row, '[name=color]', HTMLInputElement).value = color;
    else void change(element(row, '[data-picture]', HTMLInputElement), async () => null);
  });

  async function change(field: HTMLInputElement, read: () => Promise<Blob | null>): Promise<void> {
    const row = field.closest<HTMLElement>('.row');
    const shown = row && find(row, 'shown');
    const image = await read()
      .then(picture => send(field.dataset['picture'] ?? '', picture))
      .catch(() => undefined);
    field.value = '';
    const note = find(form, 'answers-note');
    const answer = row?.querySelector<HTMLInputElement>('[name=answer]')?.value ?? '';
    if (note) note.textContent = image === undefined ? fill(faces.failed, { answer }) : '';
    if (!shown || image === undefined) return;
    shown.hidden = image === null;
    if (image !== null) shown.querySelector('img')?.setAttribute('src', image);
  }
}
