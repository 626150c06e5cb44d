import type { Settings } from '../../../picture/parameters.ts';
import type { Picture } from '../../../picture/picture.ts';
import { styleTraits } from '../../../picture/styles.ts';
import { lineHeightOf } from '../../../picture/text.ts';
import { typeScale } from '../../../picture/themes.ts';
import type { OverlayWording } from '../../../picture/wording.ts';
import type { Room } from './drawing.ts';
import { addElement, addSvg, addText, setHidden, setStyle, setText, units } from './element.ts';
import type { Figure, Figures } from './figures.ts';
import { fitText, writeAnswer } from './fit-text.ts';
import { Logo } from './logo.ts';
import type { Motion } from './motion.ts';

/** The title of a strip takes this part of its width, in percent, and more before it breaks words, and more lines before it is cut. */
const STRIP_SHARES = [
  { share: 22, lines: 2, lack: 'broken' },
  { share: 40, lines: 3, lack: 'cut' },
  { share: 40, lines: 4, lack: 'cut' },
] as const;
const MOST_LINES = 4;
/** A presenter reads the whole question out. */
const MOST_LINES_OFF_AIR = 6;
const USUAL_LINES = 2;
/** The last seconds are counted down in large figures. */
const LAST_MS = 10_000;

const LOCK = 'M7 11V7a5 5 0 0 1 10 0v4M5 11h14v10H5z';
const AWAY =
  'M4 4l16 16M5 12a10 10 0 0 1 4-2.4M13.500 9.100A10 10 0 0 1 19 12M8.500 15.500a5 5 0 0 1 5-1.200M12 19h.01';

/** In units. */
export interface TitleRoom {
  /** The smallest type: that of the answers. */
  readonly floor: number;
  /** Height that a title of more than two lines may take, and the most for any. */
  readonly wanted: number;
  readonly most: number;
}

/** The panel of all styles: background, title, footer, and the icon of an unreachable relay. */
export class Panel {
  readonly element: HTMLElement;
  readonly body: HTMLElement;
  readonly #logo: Logo;
  readonly #title: HTMLElement;
  readonly #foot: HTMLElement;
  readonly #lock: SVGElement;
  readonly #said: HTMLElement;
  readonly #total: Figure;
  readonly #totalCell: HTMLElement;
  readonly #voided: HTMLElement;
  readonly #more: HTMLElement;
  readonly #clock: HTMLElement;
  readonly #settings: Settings;
  readonly #wording: OverlayWording;
  #compact = false;
  /** Width in CSS pixels that the title lacks at its largest size. */
  titleLackPx = 0;
  /** There is no room for the title. */
  isUntitled = false;

  constructor(stage: HTMLElement, settings: Settings, wording: OverlayWording, figures: Figures) {
    this.#settings = settings;
    this.#wording = wording;
    this.element = addElement(stage, 'section', 'panel');
    this.#logo = new Logo(this.element);
    this.#title = addText(this.element, 'h1', 'title lines');
    this.body = addElement(this.element, 'div', `body ${settings.style}`);
    this.#foot = addElement(this.element, 'footer', 'foot');
    this.#lock = addIcon(this.#foot, LOCK, 'lock');
    this.#said = addElement(this.#foot, 'span', 'said');
    this.#totalCell = addElement(this.#foot, 'span', 'total');
    this.#total = figures.add(this.#totalCell, value => wording.votes(Math.round(value), this.#compact));
    this.#voided = addElement(this.#foot, 'span', 'voided');
    this.#more = addElement(this.#foot, 'span', 'more');
    addIcon(this.#foot, AWAY, 'away');
    this.#clock = addElement(this.#foot, 'span', 'clock');
  }

  get logo(): HTMLImageElement | undefined {
    return this.#logo.image;
  }

  /** Takes effect with the next layout. */
  showLogo(image: HTMLImageElement | undefined): void {
    this.#logo.show(image);
  }

  /** Sets width, title and logo, and returns the height of both in CSS pixels. A title that has no room gets the logo's. */
  layOut(title: string, width: number, room: TitleRoom): number {
    setStyle(this.element, 'width', units(width.toFixed(2)));
    const shown = this.#settings.title ? title : '';
    writeAnswer(this.#title, shown);
    this.element.classList.toggle('untitled', shown === '');
    this.#logo.fit(width, room.most);
    this.#fitTitle(title, width, room);
    if (this.#logo.isShown && this.#title.matches('.broken')) {
      this.#logo.fit(0, 0);
      this.#fitTitle(title, width, room);
    }
    return Math.max(this.#title.offsetHeight, this.#logo.image?.offsetHeight ?? 0);
  }

  #fitTitle(title: string, width: number, { floor, wanted, most }: TitleRoom): void {
    const logo = this.#logo.isShown ? 'logo' : '';
    if (styleTraits[this.#settings.style].isStrip) this.#fitStrip(`${width} ${logo}`, floor);
    else {
      const largest = Math.max(floor, typeScale.title.size);
      const lineHeight = lineHeightOf([title]);
      const linesIn = (height: number, size: number) => Math.floor(height / (size * lineHeight));
      const isWhole = styleTraits[this.#settings.style].isOffAir;
      const lines = (size: number) =>
        isWhole && size === floor
          ? Math.min(MOST_LINES_OFF_AIR, linesIn(most, size))
          : Math.min(MOST_LINES, linesIn(most, size), Math.max(USUAL_LINES, linesIn(wanted, size)));
      this.isUntitled = this.#settings.title && title !== '' && lines(floor) < 1;
      setHidden(this.#title, this.isUntitled);
      const key = `${width} ${wanted} ${most} ${logo}`;
      this.titleLackPx = fitText([this.#title], { key, largest, floor, lines });
    }
  }

  #fitStrip(key: string, size: number): void {
    for (const { share, lines, lack } of STRIP_SHARES) {
      setStyle(this.#title, '--share', `${share}%`);
      const room = { key: `${key} ${share} ${lines}`, largest: size, floor: size, lines: () => lines };
      this.titleLackPx = fitText([this.#title], room);
      if (!this.#title.classList.contains(lack)) return;
    }
  }

  /** In CSS pixels. Its words may take another line at any time. */
  get footHeight(): number {
    return this.#foot.offsetHeight;
  }

  draw(picture: Picture, room: Room, motion: Motion): void {
    const { moment, rows, answers } = picture;
    const { style, total, voided } = this.#settings;
    const blank = moment === 'hidden' || moment === 'upcoming';
    this.element.classList.toggle('blank', blank);
    this.#lock.classList.toggle('shown', moment === 'hidden' || this.#saysSecret(picture));
    setHidden(this.#totalCell, !total || moment === 'waiting' || blank);
    if (this.#compact !== room.compact) {
      this.#compact = room.compact;
      this.#total.write();
    }
    this.#total.set(picture.totalVotes, motion);
    setText(this.#voided, voided && !blank ? this.#wording.voided(picture.voidedVotes, room.compact) : '');
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
    const cells = [this.#said, this.#totalCell, this.#voided, this.#more, this.#clock];
    const isEmpty = cells.every(cell => cell.hidden || cell.textContent === '');
    setHidden(this.#foot, isEmpty);
  }

  /** Viewers are not told what is kept from them. */
  #saysSecret({ secret }: Picture): boolean {
    return secret && styleTraits[this.#settings.style].isOffAir === true;
  }

  #describeMoment(picture: Picture, nowMs: number): string {
    const { moment, revealsAtDeadline, deadlineMs } = picture;
    const { upcoming, waiting, secret } = this.#wording.phrases;
    if (this.#saysSecret(picture)) return secret;
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
