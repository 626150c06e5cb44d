import { phrases } from './i18n.ts';

const CONFIRMATION_MS = 2_000;

/** Copies the text of a field, and says so on the button for two seconds. @param label of the button */
export async function copyFrom(
  field: HTMLInputElement | HTMLTextAreaElement,
  button: HTMLElement,
  label: string,
): Promise<void> {
  button.textContent = (await copy(field)) ? phrases.copied : phrases.copyByHand;
  setTimeout(() => {
    button.textContent = label;
  }, CONFIRMATION_MS);
}

/** On plain HTTP scripts have no clipboard, so the text is selected for the user to copy. */
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

/** Opens the system's sheet for a link where there is one, and copies it elsewhere. @param url public: never with a key */
export function shareButton(url: string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.textContent = phrases.share;
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    if ('share' in navigator && (await openSheet(url))) return;
    const field = document.createElement('input');
    field.readOnly = true;
    field.value = url;
    field.setAttribute('aria-label', phrases.share);
    button.before(field);
    await copyFrom(field, button, phrases.share);
    // Left for the user where the text could not be copied.
    if (button.textContent === phrases.copied) field.remove();
  });
  return button;
}

/** @returns false if the browser has a sheet, but cannot open it here */
async function openSheet(url: string): Promise<boolean> {
  try {
    await navigator.share({ url });
    return true;
  } catch (error) {
    // Closed by the user, or still open after a second press.
    return error instanceof DOMException && /Abort|InvalidState/.test(error.name);
  }
}
