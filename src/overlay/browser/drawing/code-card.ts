import { SMALLEST_TEXT } from '../../../picture/themes.ts';
import type { PollStatus } from '../../../poll/poll.ts';
import type { Drawing, Heights, Room, Size } from './drawing.ts';
import { addElement, addSvg, setStyle, unitPx } from './element.ts';
import { fitText, writeAnswer } from './fit-text.ts';

export interface VoteCode {
  readonly address: string;
  /** Along each side, including the quiet zone. */
  readonly modules: number;
  /** Path data of the dark modules, in modules. */
  readonly dark: string;
}

/** Least size in units, for a phone camera across a room. */
const BESIDE = 340;
const ALONE = 520;
const SMALLEST_MODULE = 6;
/** The code of a long address has so many modules at most. */
const MOST_MODULES = 45;
const WORDS_SIZE = 34;
/** Between the card and the panel, as in `code-card.css`. */
const GAP = 28;
const WORDS_HEIGHT = 130;

/** The QR code and its address, beside the panel or as its drawing. Each module is a whole number of screen pixels. */
export class CodeCard implements Drawing {
  readonly #card: HTMLElement;
  readonly #drawing: SVGElement;
  readonly #dark: SVGElement;
  readonly #words: HTMLElement;
  readonly #isAlone: boolean;
  #code: VoteCode | undefined;
  #isPermanent = false;
  #isSpent = false;

  constructor(parent: HTMLElement, place: 'beside' | 'alone') {
    this.#isAlone = place === 'alone';
    this.#card = addElement(parent, 'figure', 'code-card');
    this.#card.hidden = true;
    this.#drawing = addSvg(this.#card, 'svg', { 'aria-hidden': 'true', 'shape-rendering': 'crispEdges' });
    this.#dark = addSvg(this.#drawing, 'path', {});
    this.#words = addElement(this.#card, 'figcaption', 'address');
    this.#words.dir = 'ltr';
  }

  /** The overlay is only a code, which has not been loaded. */
  get isLacking(): boolean {
    return this.#isAlone && !this.#code;
  }

  /** The overlay is only a code, whose poll is closed. */
  get isOver(): boolean {
    return this.#isAlone && this.#isSpent;
  }

  /** @param isPermanent stays after the poll closes, because it leads to a show's next poll */
  show(code: VoteCode, isPermanent: boolean): void {
    this.#code = code;
    this.#isPermanent = isPermanent;
    this.#card.hidden = false;
    this.#drawing.setAttribute('viewBox', `0 0 ${code.modules} ${code.modules}`);
    this.#dark.setAttribute('d', code.dark);
    // Browsers add the scheme, and a line may break after a slash.
    writeAnswer(this.#words, code.address.replace(/^https?:\/\//, '').replaceAll('/', '/\u200b'));
  }

  /** Hides the code of a closed poll. Its space stays free. */
  setStatus(status: PollStatus | undefined): void {
    this.#isSpent = status === 'closed' && !this.#isPermanent;
    this.#card.classList.toggle('spent', this.#isSpent);
  }

  /** Sets the size beside the panel and returns the space that it takes, in units. */
  fitBeside(unitPx: number): Size {
    if (!this.#code || this.#isAlone) return { width: 0, height: 0 };
    const width = this.#setSize(BESIDE, unitPx);
    return { width: width + GAP, height: this.#card.offsetHeight / unitPx + GAP };
  }

  readonly answerSize = SMALLEST_TEXT;

  heights(): Heights {
    return { least: MOST_MODULES * SMALLEST_MODULE + WORDS_HEIGHT, preferred: ALONE + WORDS_HEIGHT };
  }

  preferredWidth(): number {
    return ALONE + 68;
  }

  fit(): number {
    return Number.POSITIVE_INFINITY;
  }

  draw(_: unknown, room: Room): number {
    const unit = unitPx(this.#card);
    const width = this.#setSize(Math.min(room.width, room.height - WORDS_HEIGHT), unit);
    // An address on one line leaves more room for the code.
    const words = this.#card.offsetHeight / unit - width;
    this.#setSize(Math.min(room.width, room.height - words), unit);
    return 0;
  }

  #setSize(wanted: number, unitPx: number): number {
    const { modules } = this.#code ?? { modules: 1 };
    const modulePx = Math.max(1, Math.floor(Math.max(SMALLEST_MODULE, wanted / modules) * unitPx));
    const width = (modules * modulePx) / unitPx;
    setStyle(this.#card, 'width', `${modules * modulePx}px`);
    setStyle(this.#card, '--module', `${modulePx}px`);
    fitText([this.#words], { key: `${width}`, largest: WORDS_SIZE, floor: SMALLEST_TEXT });
    return width;
  }
}
