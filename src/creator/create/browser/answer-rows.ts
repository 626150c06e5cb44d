import { answerList, faces } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { element, quietButton } from '../../../pages/page/browser/dom.ts';
import { wording } from '../../../pages/page/browser/i18n.ts';
import { pastedList } from './pasted-list.ts';

const MAX_ROWS = 100;
const FEWEST_ROWS = 2;
const STEPS: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };

/** The answers of the form: adds rows, fills them from lists, and moves them. */
export class AnswerRows {
  readonly #box: HTMLElement;
  readonly #more: HTMLButtonElement;
  /** Colors of answers whose own one was left alone follow from their places. */
  readonly #colors: readonly string[];
  readonly #places = new WeakMap<HTMLElement, number>();

  constructor(box: HTMLElement, more: HTMLButtonElement) {
    this.#box = box;
    this.#more = more;
    this.#colors = box.dataset['colors']?.split(' ') ?? [];
    for (const hidden of box.querySelectorAll<HTMLElement>('[data-handle], [data-list-hint]'))
      hidden.hidden = false;
    this.#set(this.#rows);
    more.addEventListener('click', event => {
      event.preventDefault();
      this.add()?.focus();
    });
    box.addEventListener('paste', event => this.#paste(event));
    box.addEventListener('keydown', event => this.#moveByKey(event));
    box.addEventListener('pointerdown', event => this.#drag(event));
  }

  get #rows(): HTMLElement[] {
    return [...this.#box.querySelectorAll<HTMLElement>('.row')];
  }

  /** Whether this is the last answer, and is not empty. */
  isLastFilled(field: HTMLInputElement): boolean {
    return fieldOf(this.#rows.at(-1)!) === field && !isBlank(field);
  }

  /** Adds an empty row, while there is room for one. */
  add(): HTMLInputElement | undefined {
    const rows = this.#rows;
    if (rows.length >= MAX_ROWS) return undefined;
    const row = this.#create('');
    this.#set([...rows, row]);
    return fieldOf(row);
  }

  /**
   * Puts these answers in the place of all others.
   *
   * @param colors of each answer; undefined for those of their places
   */
  replace(answers: readonly string[], colors?: readonly string[]): void {
    const earlier = this.#rows;
    const empty = Array<string>(Math.max(0, FEWEST_ROWS - answers.length)).fill('');
    const rows = [...answers, ...empty].map(answer => this.#create(answer));
    this.#set(rows);
    for (const [index, color] of colors?.entries() ?? []) if (rows[index]) colorOf(rows[index]).value = color;
    const isLost = earlier.some(row => !isBlank(fieldOf(row)));
    this.#say(
      [isLost ? answerList.replaced : fill(answerList.added, { count: wording.number(answers.length) })],
      isLost ? earlier : undefined,
    );
  }

  #paste(event: ClipboardEvent): void {
    const field = event.target;
    if (!(field instanceof HTMLInputElement) || field.name !== 'answer') return;
    const list = pastedList(event.clipboardData?.getData('text/plain') ?? '');
    if (list.length < 2) return;
    event.preventDefault();
    const earlier = this.#rows;
    const place = earlier.indexOf(field.closest<HTMLElement>('.row')!);
    const isKept = (row: HTMLElement) => !isBlank(fieldOf(row));
    const [before, after] = [
      earlier.slice(0, place + 1).filter(isKept),
      earlier.slice(place + 1).filter(isKept),
    ];
    const added = list.slice(0, MAX_ROWS - before.length - after.length).map(answer => this.#create(answer));
    this.#set([
      ...before,
      ...added,
      ...after,
      ...(before.length + added.length + after.length < FEWEST_ROWS ? [this.#create('')] : []),
    ]);
    fieldOf(added.at(-1) ?? before.at(-1) ?? after[0]!).focus();
    const count = (number: number) => ({ count: wording.number(number), most: wording.number(MAX_ROWS) });
    const left = list.length - added.length;
    this.#say(
      [fill(answerList.added, count(added.length)), left > 0 ? fill(answerList.tooMany, count(left)) : ''],
      earlier,
    );
  }

  #moveByKey(event: KeyboardEvent): void {
    const step = STEPS[event.key];
    const target = event.target as HTMLElement;
    const row = target.closest<HTMLElement>('.row');
    const isMove = event.altKey || target.matches('[data-handle]');
    if (!row || step === undefined || !isMove || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const rows = this.#rows;
    const neighbor = rows[rows.indexOf(row) + step];
    if (!neighbor) return;
    // The neighbor moves, because an element that moves loses the focus.
    if (step < 0) row.after(neighbor);
    else row.before(neighbor);
    this.#number();
    this.#sayPlace(row);
  }

  /** The rows around the dragged one move, because an element that moves loses the pointer. */
  #drag(event: PointerEvent): void {
    const handle = (event.target as HTMLElement).closest<HTMLElement>('[data-handle]');
    const row = handle?.closest<HTMLElement>('.row');
    if (!handle || !row || event.button !== 0) return;
    const ended = new AbortController();
    const options = { signal: ended.signal };
    const start = this.#rows.indexOf(row);
    handle.setPointerCapture(event.pointerId);
    row.dataset['dragged'] = '';
    const onMove = ({ clientY }: PointerEvent) => {
      const rows = this.#rows;
      const at = rows.indexOf(row);
      const above = rows[at - 1];
      const below = rows[at + 1];
      if (above && clientY < middleOf(above)) row.after(above);
      else if (below && clientY > middleOf(below)) row.before(below);
    };
    const onEnd = () => {
      ended.abort();
      delete row.dataset['dragged'];
      this.#number();
      if (this.#rows.indexOf(row) !== start) this.#sayPlace(row);
    };
    handle.addEventListener('pointermove', onMove, options);
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'])
      handle.addEventListener(end, onEnd, options);
  }

  #create(answer: string): HTMLElement {
    const row = this.#rows[0]!.cloneNode(true) as HTMLElement;
    for (const own of row.querySelectorAll('.fault, [data-chosen]')) own.remove();
    const field = fieldOf(row);
    field.removeAttribute('aria-invalid');
    field.value = answer;
    for (const other of row.querySelectorAll<HTMLInputElement>('[type=file], [name=answer_id]'))
      other.value = '';
    delete element(row, '[type=file]', HTMLInputElement).dataset['picture'];
    // The color of any place, which follows once it has one.
    colorOf(row).value = this.#colors[0] ?? '';
    this.#places.set(row, 0);
    return row;
  }

  #set(rows: readonly HTMLElement[]): void {
    for (const row of this.#rows) if (!rows.includes(row)) row.remove();
    element(this.#box, '.faces-fold', HTMLElement).after(...rows);
    this.#number();
    this.#more.hidden = rows.length >= MAX_ROWS;
  }

  #number(): void {
    for (const [place, row] of this.#rows.entries()) {
      const number = wording.number(place + 1);
      const name = fill(answerList.answer, { number });
      element(row, 'span', HTMLElement).textContent = name;
      fieldOf(row).placeholder = name;
      element(row, '[data-handle]', HTMLElement).ariaLabel = fill(answerList.move, { number });
      for (const face of row.querySelectorAll<HTMLElement>('[data-label]'))
        face.ariaLabel = fill(faces[face.dataset['label'] as keyof typeof faces], { answer: number });
      Object.assign(element(row, '[type=file]', HTMLInputElement).dataset, { owner: name, short: number });
      const color = colorOf(row);
      if (color.value === this.#colorAt(this.#places.get(row) ?? place)) color.value = this.#colorAt(place);
      this.#places.set(row, place);
    }
  }

  #colorAt(place: number): string {
    return this.#colors[place % this.#colors.length] ?? '';
  }

  #sayPlace(row: HTMLElement): void {
    const rows = this.#rows;
    const { value, placeholder } = fieldOf(row);
    const [number, count] = [rows.indexOf(row) + 1, rows.length].map(place => wording.number(place));
    this.#say([fill(answerList.moved, { answer: value || placeholder, number: number!, count: count! })]);
  }

  /** @param earlier the rows that a button puts back */
  #say(texts: readonly string[], earlier?: readonly HTMLElement[]): void {
    const note = element(this.#box, '[data-answers-note]', HTMLElement);
    note.textContent = texts.join(' ');
    if (!earlier) return;
    const undo = quietButton(answerList.undo, () => {
      this.#set(earlier);
      note.textContent = '';
      fieldOf(earlier[0]!).focus();
    });
    note.append(' ', undo);
  }
}

function fieldOf(row: HTMLElement): HTMLInputElement {
  return element(row, '[name=answer]', HTMLInputElement);
}

function colorOf(row: HTMLElement): HTMLInputElement {
  return element(row, '[name=color]', HTMLInputElement);
}

function isBlank({ value }: HTMLInputElement): boolean {
  return value.trim() === '';
}

function middleOf(row: HTMLElement): number {
  const { top, height } = row.getBoundingClientRect();
  return top + height / 2;
}
