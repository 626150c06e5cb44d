import { SMALLEST_TEXT, typeScale } from '../../look/type-scale.ts';
import type { Settings } from '../../parameter/read-parameters.ts';
import type { Picture } from '../../picture/picture.ts';
import type { OverlayWording } from '../../picture/wording.ts';
import type { Room } from './drawing.ts';
import { addElement, addSvg, addText, setHidden, setStyle, setText } from './element.ts';
import type { Figure, Figures } from './figures.ts';
import { fitText } from './fit-text.ts';
import type { Motion } from './motion.ts';

/** A line across the screen has room for little more than the smallest text. */
const TICKER_TITLE_SIZE = 34;
/** The last seconds are counted down in large figures. */
const LAST_MS = 10_000;

/** Styles that never show all answers, and pretend nothing else. */
const FEW_ROWS: readonly string[] = ['big-number', 'code'];

const LOCK = 'M7 11V7a5 5 0 0 1 10 0v4M5 11h14v10H5z';
const AWAY =
  'M4 4l16 16M5 12a10 10 0 0 1 4-2.4M13.500 9.100A10 10 0 0 1 19 12M8.500 15.500a5 5 0 0 1 5-1.200M12 19h.01';

/** What all styles have in common: plate, title, footer, and the mark of an absent relay. */
export class Panel {
  readonly element: HTMLElement;
  readonly body: HTMLElement;
  readonly #title: HTMLElement;
  readonly #foot: HTMLElement;
  readonly #lock: SVGElement;
  readonly #said: HTMLElement;
  readonly #total: Figure;
  readonly #totalCell: HTMLElement;
  readonly #more: HTMLElement;
  readonly #clock: HTMLElement;
  readonly #settings: Settings;
  readonly #wording: OverlayWording;

  /** Long counts are written in few digits. */
  #compact = false;
  /** By how many CSS pixels the title lacks width at its largest. */
  titleLackPx = 0;

  constructor(stage: HTMLElement, settings: Settings, wording: OverlayWording, figures: Figures) {
    this.#settings = settings;
    this.#wording = wording;
    this.element = addElement(stage, 'section', 'panel');
    this.#title = addText(this.element, 'h1', 'title');
    this.body = addElement(this.element, 'div', `body ${settings.style}`);
    this.#foot = addElement(this.element, 'footer', 'foot');
    this.#lock = addIcon(this.#foot, LOCK, 'lock');
    this.#said = addElement(this.#foot, 'span', 'said');
    this.#totalCell = addElement(this.#foot, 'span', 'total');
    this.#total = figures.add(this.#totalCell, value => wording.votes(Math.round(value), this.#compact));
    this.#more = addElement(this.#foot, 'span', 'more');
    addIcon(this.#foot, AWAY, 'away');
    this.#clock = addElement(this.#foot, 'span', 'clock');
  }

  /** Sets the title and the width, and returns the height of the title in CSS pixels, 0 without one. */
  layOut(title: string, width: number): number {
    setStyle(this.element, 'width', `calc(var(--u) * ${width.toFixed(2)})`);
    setText(this.#title, this.#settings.title ? title : '');
    this.titleLackPx = fitText(
      [this.#title],
      `${width}`,
      this.#settings.style === 'ticker' ? TICKER_TITLE_SIZE : typeScale.title.size,
      SMALLEST_TEXT,
    );
    return this.#title.offsetHeight;
  }

  /** The figures of the footer; the body is the style's. */
  draw(picture: Picture, room: Room, motion: Motion): void {
    const { moment, rows, answers } = picture;
    const blank = moment === 'hidden' || moment === 'upcoming';
    this.element.classList.toggle('blank', blank);
    this.#lock.classList.toggle('shown', moment === 'hidden');
    setHidden(this.#totalCell, !this.#settings.total || moment === 'waiting' || blank);
    if (this.#compact !== room.compact) {
      this.#compact = room.compact;
      this.#total.write();
    }
    this.#total.set(picture.totalVotes, motion);
    const isCut = rows.length < answers && !FEW_ROWS.includes(this.#settings.style);
    setText(this.#more, isCut ? this.#wording.top(rows.length, answers) : '');
  }

  /** The parts that change with the time alone, after `draw`. `nowMs` is by the server's clock. */
  drawClock(picture: Picture, nowMs: number): void {
    const { moment, deadlineMs } = picture;
    setText(this.#said, this.#describeMoment(picture, nowMs));
    setText(this.#clock, this.#describeClock(picture, nowMs));
    const leftMs = (deadlineMs ?? Number.POSITIVE_INFINITY) - nowMs;
    const counted = moment === 'open' || moment === 'waiting' || moment === 'hidden';
    this.#clock.classList.toggle('last', counted && leftMs > 0 && leftMs <= LAST_MS);
    const cells = [this.#said, this.#totalCell, this.#more, this.#clock];
    setHidden(
      this.#foot,
      cells.every(cell => cell.hidden || cell.textContent === ''),
    );
  }

  #describeMoment({ moment, revealsAtDeadline, deadlineMs }: Picture, nowMs: number): string {
    const { upcoming, waiting } = this.#wording.phrases;
    if (moment === 'hidden') return this.#wording.hidden(revealsAtDeadline ? deadlineMs : null, nowMs);
    return { upcoming, waiting, open: '', closed: '' }[moment];
  }

  #describeClock({ moment, tie, deadlineMs }: Picture, nowMs: number): string {
    const { closed, tie: tied } = this.#wording.phrases;
    if (moment === 'closed') return tie ? `${closed} · ${tied}` : closed;
    if (!this.#settings.countdown || deadlineMs === null || moment === 'upcoming') return '';
    // At the end the relay says that it is closed; nothing here says so before.
    return deadlineMs > nowMs ? this.#wording.closesIn(deadlineMs - nowMs) : '';
  }
}

function addIcon(parent: HTMLElement, path: string, name: string): SVGElement {
  const icon = addSvg(parent, 'svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true', class: name });
  addSvg(icon, 'path', { d: path });
  return icon;
}
