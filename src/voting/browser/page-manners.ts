/** What every page does, with or without a poll on it. */

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' });

/** The server writes UTC; people read their own time. */
export function localizeTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll('time'))
    element.textContent = LOCAL.format(new Date(element.dateTime));
}

export function formatMoment(ms: number): HTMLTimeElement {
  const element = document.createElement('time');
  element.dateTime = new Date(ms).toISOString();
  element.textContent = LOCAL.format(ms);
  return element;
}

/** What happened is read out first, and the next Tab goes on from there. */
export function focusNotice(): void {
  document.querySelector<HTMLElement>('[data-focus]:not([hidden] *)')?.focus({ preventScroll: false });
}

export function find<T extends HTMLElement = HTMLElement>(root: ParentNode, name: string): T | undefined {
  return root.querySelector<T>(`[data-${name}]`) ?? undefined;
}

/** Where a key is a letter of a text, or does something of its own. */
const TYPED_IN = 'input, textarea, select, [contenteditable]';

/**
 * A press of a key that is written on a button is a click on it, as `data-key` says. One that is held down is one press, and with
 * Ctrl, Alt or Meta it is the browser's.
 */
export function onKeys(root: HTMLElement): void {
  document.addEventListener('keydown', event => {
    if (event.repeat || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target instanceof Element && event.target.closest(TYPED_IN)) return;
    const key = CSS.escape(event.key.toLowerCase());
    const button = root.querySelector<HTMLButtonElement>(`button[data-key="${key}"]`);
    if (!button || button.closest('[hidden]')) return;
    event.preventDefault();
    button.click();
  });
}
