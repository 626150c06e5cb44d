import { quietButton } from './dom.ts';
import { phrases } from './i18n.ts';

const CONFIRMATION_MS = 2_000;

/**
 * Opens the system's sheet for a link where there is one, and copies it elsewhere.
 *
 * @param url public: never with a key
 */
export function shareButton(url: string): HTMLElement {
  const button = quietButton(phrases.share, async () => {
    if (await openSheet(url)) return;
    try {
      await navigator.clipboard.writeText(url);
    } catch {
      // On plain HTTP scripts have no clipboard.
      prompt(phrases.copyByHand, url);
      return;
    }
    button.textContent = phrases.copied;
    setTimeout(() => {
      button.textContent = phrases.share;
    }, CONFIRMATION_MS);
  });
  button.ariaLive = 'polite';
  return button;
}

/** @returns false if there is no sheet, or the browser cannot open it here */
async function openSheet(url: string): Promise<boolean> {
  try {
    await navigator.share({ url });
    return true;
  } catch (error) {
    // Closed by the user, or still open after a second press.
    return /Abort|InvalidState/.test((error as Error).name);
  }
}
