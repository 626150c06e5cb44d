import { wording } from './i18n.ts';

/** What every page does, with or without a poll on it. */

/** The server writes UTC; people read their own time. */
export function localizeTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll('time'))
    element.textContent = wording.dateTime(Date.parse(element.dateTime));
}

export function timeElement(ms: number): HTMLTimeElement {
  const element = document.createElement('time');
  element.dateTime = new Date(ms).toISOString();
  element.textContent = wording.dateTime(ms);
  return element;
}

/** What happened is read out first, and the next Tab goes on from there. */
export function focusNotice(): void {
  document.querySelector<HTMLElement>('[data-focus]:not([hidden] *)')?.focus({ preventScroll: false });
}

export function find<T extends HTMLElement = HTMLElement>(root: ParentNode, name: string): T | undefined {
  return root.querySelector<T>(`[data-${name}]`) ?? undefined;
}

/** Voters who come back to their pages do so together, when a show says so. */
const BACK_MS = 1_000;

/** Resolves after the pause; on a hidden page not before it is shown again, and then soon. @param signal ends the pause */
export function pauseWhileSeen(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(done => {
    let timer: ReturnType<typeof setTimeout>;
    const plan = (restMs: number) => {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') timer = setTimeout(end, restMs);
    };
    const onChange = () => plan(Math.random() * BACK_MS);
    const end = () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onChange);
      signal.removeEventListener('abort', end);
      done();
    };
    document.addEventListener('visibilitychange', onChange);
    signal.addEventListener('abort', end);
    plan(ms);
  });
}

/** Where a key is a letter of a text, or does something of its own. */
const TYPED_IN = 'input:not([type=checkbox]), textarea, select, [contenteditable]';

const LETTER_OR_DIGIT = /^[\p{Script=Latin}\d]$/u;

/**
 * What is written on the key. Where that is no Latin letter and no digit, as on Arabic, Greek or Cyrillic keyboards and in the row of
 * digits of a French one, what is written on the key of that place elsewhere.
 */
function signOf({ key, code }: KeyboardEvent): string {
  const [, row, sign = key] = /^(Key|Digit)(.)$/.exec(code) ?? [];
  const isKnown = row === 'Digit' ? /^[a-z\d]$/i.test(key) : LETTER_OR_DIGIT.test(key);
  return isKnown ? key : sign;
}

const SHORTCUTS_SLOT = 'tallycast-shortcuts';

/**
 * A press of a key that is written on a button is a click on it, as `data-key` says. One that is held down is one press, and with
 * Ctrl, Alt or Meta it is the browser's. A switch on the page turns the keys off, on this device until it is turned on again.
 */
export function onKeys(root: HTMLElement): void {
  const areOn = prepareSwitch(root);
  document.addEventListener('keydown', event => {
    if (!areOn()) return;
    if (event.repeat || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target instanceof Element && event.target.closest(TYPED_IN)) return;
    const key = CSS.escape(signOf(event).toLowerCase());
    const button = root.querySelector<HTMLButtonElement>(`button[data-key="${key}"]`);
    if (!button || button.closest('[hidden]')) return;
    event.preventDefault();
    button.click();
  });
}

function prepareSwitch(root: HTMLElement): () => boolean {
  const label = find(root, 'shortcuts')!;
  const box = label.querySelector('input')!;
  label.hidden = false;
  const show = () => root.toggleAttribute('data-keys-off', !box.checked);
  // Where the browser keeps nothing, the switch holds until the page is reloaded.
  try {
    box.checked = localStorage.getItem(SHORTCUTS_SLOT) !== 'off';
  } catch {}
  show();
  box.addEventListener('change', () => {
    show();
    try {
      localStorage.setItem(SHORTCUTS_SLOT, box.checked ? 'on' : 'off');
    } catch {}
  });
  return () => box.checked;
}
