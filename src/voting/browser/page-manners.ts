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
