import { fill } from '../../../web/i18n.ts';
import { find } from './dom.ts';
import { phrases } from './i18n.ts';

const SAID_MS = 2_000;

/** Prepares fields that were not prepared before. */
export function prepareCopyFields(root: ParentNode): void {
  for (const box of root.querySelectorAll<HTMLElement>('[data-copy]')) {
    const field = box.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea');
    const button = find<HTMLButtonElement>(box, 'copy-button');
    if (field && button?.hidden) prepare(field, button);
  }
}

function prepare(field: HTMLInputElement | HTMLTextAreaElement, button: HTMLButtonElement): void {
  field.addEventListener('focus', () => field.select());
  button.hidden = false;
  button.setAttribute(
    'aria-label',
    fill(phrases.copyThis, { label: field.labels?.[0]?.textContent?.trim() ?? '' }),
  );
  button.addEventListener('click', () => {
    void copy(field).then(done => {
      button.textContent = done ? phrases.copied : phrases.copyByHand;
      setTimeout(() => {
        button.textContent = phrases.copy;
      }, SAID_MS);
    });
  });
}

/** On plain HTTP there is no clipboard for scripts; the selected text is one key press away from it. */
async function copy(field: HTMLInputElement | HTMLTextAreaElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.focus();
    field.select();
    return document.execCommand?.('copy') ?? false;
  }
}
