import { faces } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { smallImage } from '../../../pages/page/browser/answer-image.ts';
import { element, find } from '../../../pages/page/browser/dom.ts';
import { objectPosition } from '../../../picture/draw/cover.ts';
import { IMAGE_FOCUS, type ImageFocus } from '../../../poll/poll.ts';
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
  for (const image of form.querySelectorAll<HTMLImageElement>('[data-shown] img')) showFocus(image);
  form.addEventListener('input', ({ target }) => {
    const shown = (target as HTMLElement).closest('[data-shown]');
    if (shown) showFocus(element(shown, 'img', HTMLImageElement));
  });
  form.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.dataset['picture'] === undefined) return;
    const [file] = target.files ?? [];
    if (file) void change(target, smallImage(file));
  });
  form.addEventListener('click', event => {
    if (event.target instanceof HTMLImageElement && event.target.closest('[data-shown]'))
      showFocus(event.target, pointAt(event.target, event));
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
    const preview = element(shown, 'img', HTMLImageElement);
    if (!shown.hidden) showFocus(preview, IMAGE_FOCUS);
    shown.hidden = image === null;
    if (image !== null) preview.src = image;
  }
}

function focusFields(image: HTMLImageElement): HTMLInputElement[] {
  return [...image.parentElement!.querySelectorAll<HTMLInputElement>('[type=number]')];
}

/** Crops a preview as its fields say. @param focus for the fields */
function showFocus(image: HTMLImageElement, focus?: ImageFocus): void {
  const fields = focusFields(image);
  for (const [axis, value] of focus?.entries() ?? []) fields[axis]!.value = `${value}`;
  image.style.objectPosition = objectPosition(fields.map(({ value }) => Number(value)));
}

/** The point of the whole picture below a pointer on its preview. */
function pointAt(image: HTMLImageElement, { offsetX, offsetY }: MouseEvent): ImageFocus {
  const { width, height, naturalWidth, naturalHeight } = image;
  const scale = Math.max(width / naturalWidth, height / naturalHeight);
  const [x = 0, y = 0] = image.style.objectPosition.split(' ').map(Number.parseFloat);
  const partOf = (offset: number, side: number, all: number, position: number) =>
    Math.round(Math.min(100, Math.max(0, (100 * offset - (side - all) * position) / all)));
  return [partOf(offsetX, width, naturalWidth * scale, x), partOf(offsetY, height, naturalHeight * scale, y)];
}
