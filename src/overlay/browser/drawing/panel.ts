import type { Settings } from '../../parameter/read-parameters.ts';
import type { Picture } from '../../picture/picture.ts';
import type { Wording } from '../../picture/wording.ts';
import { addElement, addSvg, addText, setHidden, setStyle, setText } from './element.ts';
import type { Figure, Figures } from './figures.ts';
import { fitText } from './fit-text.ts';

const TITLE_SIZE = 42;
/** A line across the screen has room for little more than the smallest text. */
const TICKER_TITLE_SIZE = 32;
const SMALLEST_TEXT = 28.5;

/** Below this width, in units, a footer has no room for ten digits. */
const NARROW = 700;

const LOCK = 'M7 11V7a5 5 0 0 1 10 0v4M5 11h14v10H5z';
const AWAY =
  'M4 4l16 16M5 12a10 10 0 0 1 4-2.4M13.500 9.100A10 10 0 0 1 19 12M8.500 15.500a5 5 0 0 1 5-1.200M12 19h.01';

/** What all styles have in common: plate, title, the locked body, footer, and the mark of an absent relay. */
export class Panel {
  readonly element: HTMLElement;
  readonly body: HTMLElement;
  readonly #title: HTMLElement;
  readonly #locked: HTMLElement;
  readonly #foot: HTMLElement;
  readonly #waiting: HTMLElement;
  readonly #total: Figure;
  readonly #totalCell: HTMLElement;
  readonly #more: HTMLElement;
  readonly #clock: HTMLElement;
  readonly #settings: Settings;
  readonly #wording: Wording;

  #isNarrow = false;

  constructor(stage: HTMLElement, settings: Settings, wording: Wording, figures: Figures) {
    this.#settings = settings;
    this.#wording = wording;
    this.element = addElement(stage, 'section', 'panel');
    this.#title = addText(this.element, 'h1', 'title');
    this.body = addElement(this.element, 'div', `body ${settings.style}`);
    this.#locked = addLocked(this.element);
    this.#foot = addElement(this.element, 'footer', 'foot');
    this.#waiting = addElement(this.#foot, 'span', 'waiting');
    this.#totalCell = addElement(this.#foot, 'span', 'total');
    this.#total = figures.add(this.#totalCell, value => wording.votes(Math.round(value), this.#isNarrow));
    this.#more = addElement(this.#foot, 'span', 'more');
    this.#clock = addElement(this.#foot, 'span', 'clock');
    addIcon(addElement(this.element, 'span', 'away'), AWAY);
  }

  /** Sets the title and the width, and returns the height of the title in CSS pixels, 0 without one. */
  layOut(title: string, width: number): number {
    setStyle(this.element, 'width', `calc(var(--u) * ${width.toFixed(2)})`);
    this.#isNarrow = width < NARROW;
    setText(this.#title, this.#settings.title ? title : '');
    fitText(
      [this.#title],
      `${width}`,
      this.#settings.style === 'ticker' ? TICKER_TITLE_SIZE : TITLE_SIZE,
      SMALLEST_TEXT,
    );
    return this.#title.offsetHeight;
  }

  /** The figures of the footer; the body is the style's. */
  draw(picture: Picture, still: boolean): void {
    const { moment } = picture;
    this.element.classList.toggle('hidden-results', moment === 'hidden');
    setHidden(this.#totalCell, !this.#settings.total || moment === 'waiting' || moment === 'hidden');
    this.#total.set(picture.totalVotes, still);
    setText(this.#waiting, moment === 'waiting' ? this.#wording.waiting : '');
    setText(this.#more, picture.more > 0 ? this.#wording.more(picture.more) : '');
  }

  /** The parts that change with the time alone, after `draw`. `nowMs` is by the server's clock. */
  drawClock(picture: Picture, nowMs: number): void {
    setText(this.#clock, this.#describeClock(picture, nowMs));
    const cells = [this.#waiting, this.#totalCell, this.#more, this.#clock];
    setHidden(
      this.#foot,
      cells.every(cell => cell.hidden || cell.textContent === ''),
    );
    if (picture.moment !== 'hidden') return;
    const revealMs = picture.revealsAtDeadline ? picture.deadlineMs : null;
    setText(this.#locked, this.#wording.hidden(revealMs, nowMs));
  }

  #describeClock(picture: Picture, nowMs: number): string {
    const { closed, tie, timeLeft } = this.#wording;
    if (picture.moment === 'closed') return picture.tie ? `${closed} · ${tie}` : closed;
    if (!this.#settings.countdown || picture.deadlineMs === null) return '';
    return timeLeft(picture.deadlineMs - nowMs);
  }
}

function addLocked(panel: HTMLElement): HTMLElement {
  const locked = addElement(panel, 'div', 'locked');
  addIcon(locked, LOCK);
  return addElement(locked, 'span', 'locked-text');
}

function addIcon(parent: HTMLElement, path: string): void {
  const icon = addSvg(parent, 'svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' });
  addSvg(icon, 'path', { d: path });
}
