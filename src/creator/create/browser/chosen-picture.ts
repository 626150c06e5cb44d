import { faces } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { drawSmaller } from '../../../pages/page/browser/answer-image.ts';
import { create, quietButton } from '../../../pages/page/browser/dom.ts';
import { markFault } from './field-faults.ts';

/** Pixels for a box of 44, sharp on a phone. */
const PREVIEW_SIDE = 132;

/** Shows each picture beside the field that chose it, with a button that takes it back. */
export function prepareChosenPictures(form: HTMLFormElement): void {
  form.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement && target.type === 'file') void showChosen(target);
  });
}

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
