import { wording } from './i18n.ts';
import { readStored, store } from './stored.ts';

/** Rewrites the server's times, which are in UTC, in the reader's time zone. */
export function localizeTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll('time'))
    element.textContent = wording.dateTime(Date.parse(element.dateTime));
}

/** Runs every part of a page, though one before it throws: looks must not end the script that carries a ballot. */
export function runEach(...parts: readonly (() => void)[]): void {
  for (const part of parts)
    try {
      part();
    } catch (error) {
      setTimeout(() => {
        throw error;
      });
    }
}

/** Shows the color of a picture's box in place of the browser's mark for a broken one. */
function hideBrokenPictures(): void {
  for (const image of document.querySelectorAll<HTMLImageElement>('.face img'))
    image.decode().catch(() => {
      image.hidden = true;
    });
}

export function timeElement(ms: number): HTMLTimeElement {
  return create('time', { datetime: new Date(ms).toISOString() }, wording.dateTime(ms));
}

export function focusNotice(): void {
  document.querySelector<HTMLElement>('[data-focus]:not([hidden] *)')?.focus({ preventScroll: false });
}

/** What pages do with the parts that the server has rendered. */
export const basics = [() => localizeTimes(document), focusNotice, hideBrokenPictures];

/** Creates an element with attributes and children. */
export function create<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  created.append(...children);
  return created;
}

/** @throws if the page has no such element, which it always has */
export function element<T extends Element>(root: ParentNode, selector: string, Class: new () => T): T {
  const found = root.querySelector(selector);
  if (found instanceof Class) return found;
  throw new TypeError(`the page has no ${Class.name} ${selector}`);
}

export function find<T extends HTMLElement = HTMLElement>(root: ParentNode, name: string): T | undefined {
  return root.querySelector<T>(`[data-${name}]`) ?? undefined;
}

/** A whole audience may return to its pages at once. */
const RETURN_SPREAD_MS = 1_000;

/** Resolves after the pause; on a hidden page, soon after it is shown again. @param signal ends the pause */
export function pauseWhileVisible(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(done => {
    let timer: ReturnType<typeof setTimeout>;
    const plan = (restMs: number) => {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') timer = setTimeout(end, restMs);
    };
    const onChange = () => plan(Math.random() * RETURN_SPREAD_MS);
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

/**
 * Lets a form that a script sends name the pressed button, as one that a browser sends does.
 *
 * @param button undefined for none, as before a press
 */
export function namePressed(form: HTMLFormElement, button?: HTMLButtonElement | null): void {
  find(form, 'pressed')?.remove();
  if (!button?.name) return;
  const { name, value } = button;
  form.append(create('input', { type: 'hidden', name, value, 'data-pressed': '' }));
}

export function quietButton(label: string, press: () => void): HTMLButtonElement {
  const button = create('button', { type: 'button', class: 'quiet' }, label);
  button.onclick = press;
  return button;
}

/** Elements in which letters are text. */
export const TEXT_FIELDS = 'input:not([type=checkbox]), textarea, select, [contenteditable]';

const LETTER_OR_DIGIT = /^[\p{Script=Latin}\d]$/u;

/**
 * Returns the key's character. If it is no Latin letter or digit, as on Greek keyboards, returns
 * the one of a US keyboard.
 */
function characterOf({ key, code }: KeyboardEvent): string {
  const [, row, character = key] = /^(Key|Digit)(.)$/.exec(code) ?? [];
  const isLatin = row === 'Digit' ? /^[a-z\d]$/i.test(key) : LETTER_OR_DIGIT.test(key);
  return isLatin ? key : character;
}

/** Clicks the button whose `data-key` is pressed. A switch on the page turns the shortcuts off, on this device. */
export function onKeys(root: HTMLElement): void {
  const isOn = prepareSwitch(root, 'shortcuts', areOn => root.toggleAttribute('data-keys-off', !areOn));
  document.addEventListener('keydown', event => {
    if (!isOn()) return;
    if (event.repeat || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target instanceof Element && event.target.closest(TEXT_FIELDS)) return;
    const key = CSS.escape(characterOf(event).toLowerCase());
    const button = root.querySelector<HTMLButtonElement>(`button[data-key="${key}"]`);
    if (!button || button.closest('[hidden]')) return;
    event.preventDefault();
    button.click();
  });
}

/**
 * Shows a switch whose state this browser keeps. At first it is as in the page.
 *
 * @param onChange called at once, too
 * @returns whether it is on
 */
export function prepareSwitch(
  root: HTMLElement,
  name: string,
  onChange: (isOn: boolean) => void,
): () => boolean {
  const slot = `tallycast-${name}`;
  const label = element(root, `[data-${name}]`, HTMLElement);
  const box = element(label, 'input', HTMLInputElement);
  label.hidden = false;
  box.checked = (readStored('localStorage', slot) ?? (box.checked ? 'on' : 'off')) === 'on';
  onChange(box.checked);
  box.addEventListener('change', () => {
    onChange(box.checked);
    store('localStorage', slot, box.checked ? 'on' : 'off');
  });
  return () => box.checked;
}
