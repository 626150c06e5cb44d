import { faces } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { smallImage } from '../../../pages/page/browser/answer-image.ts';
import { element, find } from '../../../pages/page/browser/dom.ts';
import { AnswerRows } from '../../create/browser/answer-rows.ts';
import { markFault } from '../../create/browser/field-faults.ts';

/**
 * Sends the picture of the question or an answer at once; null removes it. Resolves to the address
 * of what is stored, null for none, undefined if the picture was not changed.
 *
 * @param id of the answer, or `QUESTION`
 */
export type SendPicture = (id: string, image: Blob | null) => Promise<string | null | undefined>;

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
    if (file) void change(target, smallImage(file));
  });
  form.addEventListener('click', event => {
    const button = (event.target as HTMLElement).closest<HTMLButtonElement>('.face-fields button');
    const fields = button?.closest('.face-fields');
    if (!button || !fields) return;
    event.preventDefault();
    const { noColor } = button.dataset;
    if (noColor !== undefined) element(fields, '[name=color]', HTMLInputElement).value = noColor;
    else void change(element(fields, '[data-picture]', HTMLInputElement), Promise.resolve(null));
  });

  async function change(field: HTMLInputElement, picture: Promise<Blob | null>): Promise<void> {
    const { picture: id = '', owner = '' } = field.dataset;
    const image = await picture.then(read => send(id, read)).catch(() => undefined);
    field.value = '';
    markFault(field, image === undefined ? fill(faces.failed, { answer: owner }) : '');
    const shown = find(field.parentElement!, 'shown');
    if (!shown || image === undefined) return;
    shown.hidden = image === null;
    if (image !== null) element(shown, 'img', HTMLImageElement).src = image;
  }
}
