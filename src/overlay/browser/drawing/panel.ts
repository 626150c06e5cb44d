import { styleTraits } from '../../look/styles.ts';
import { SMALLEST_TEXT, typeScale } from '../../look/themes.ts';
import type { Settings } from '../../parameter/parameters.ts';
import type { Picture } from '../../picture/picture.ts';
import type { OverlayWording } from '../../picture/wording.ts';
import type { Room } from './drawing.ts';
import { addElement, addSvg, addText, setHidden, setStyle, setText, units } from './element.ts';
import type { Figure, Figures } from './figures.ts';
import { fitText } from './fit-text.ts';
import type { Motion } from './motion.ts';

const STRIP_TITLE_SIZE = 34;
/** The last seconds are counted down in large figures. */
const LAST_MS = 10_000;

const LOCK = 'M7 11V7a5 5 0 0 1 10 0v4M5 11h14v10H5z';
const AWAY =
  'M4 4l16 16M5 12a10 10 0 0 1 4-2.4M13.500 9.100A10 10 0 0 1 19 12M8.500 15.500a5 5 0 0 1 5-1.200M12 19h.01';

/** The panel of all styles: background, title, footer, and the icon of an unreachable relay. */
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
  #compact = false;
  /** Width in CSS pixels that the title lacks at its largest size. */
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

  layOut(title: string, width: number): number {
    const { style, title: showsTitle } = this.#settings;
    const size = styleTraits[style].isStrip ? STRIP_TITLE_SIZE : typeScale.title.size;
    setStyle(this.element, 'width', units(width.toFixed(2)));
    setText(this.#title, showsTitle ? title : '');
    this.titleLackPx = fitText([this.#title], `${width}`, size, SMALLEST_TEXT);
    return this.#title.offsetHeight;
  }

  draw(picture: Picture, room: Room, motion: Motion): void {
    const { moment, rows, answers } = picture;
    const { style, total } = this.#settings;
    const blank = moment === 'hidden' || moment === 'upcoming';
    this.element.classList.toggle('blank', blank);
    this.#lock.classList.toggle('shown', moment === 'hidden');
    setHidden(this.#totalCell, !total || moment === 'waiting' || blank);
    if (this.#compact !== room.compact) {
      this.#compact = room.compact;
      this.#total.write();
    }
    this.#total.set(picture.totalVotes, motion);
    const isCut = rows.length < answers && !styleTraits[style].showsFew;
    setText(this.#more, isCut ? this.#wording.top(rows.length, answers) : '');
  }

  /** Draws state and countdown, after `draw` and as time passes. @param nowMs server time */
  drawClock(picture: Picture, nowMs: number): void {
    const { moment, deadlineMs } = picture;
    setText(this.#said, this.#describeMoment(picture, nowMs));
    setText(this.#clock, this.#describeClock(picture, nowMs));
    const leftMs = (deadlineMs ?? Number.POSITIVE_INFINITY) - nowMs;
    const counted = moment === 'open' || moment === 'waiting' || moment === 'hidden';
    this.#clock.classList.toggle('last', counted && leftMs > 0 && leftMs <= LAST_MS);
    const cells = [this.#said, this.#totalCell, this.#more, this.#clock];
    const isEmpty = cells.every(cell => cell.hidden || cell.textContent === '');
    setHidden(this.#foot, isEmpty);
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
    // Only the relay decides that a poll is closed, so the text disappears at 0.
    return deadlineMs > nowMs ? this.#wording.closesIn(deadlineMs - nowMs) : '';
  }
}

function addIcon(parent: HTMLElement, path: string, name: string): SVGElement {
  const icon = addSvg(parent, 'svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true', class: name });
  addSvg(icon, 'path', { d: path });
  return icon;
}
