import type { PollStatus } from '../../../poll/poll.ts';
import { SMALLEST_TEXT } from '../../look/type-scale.ts';
import type { Drawing, Room, Size } from './drawing.ts';
import { addElement, addSvg, setStyle, setText } from './element.ts';
import { fitText } from './fit-text.ts';

/** A code that leads phones to the vote. */
export interface VoteCode {
  readonly address: string;
  /** Along each side, with the light edge that readers look for. */
  readonly modules: number;
  /** The dark ones: data of an SVG path, in units of a module. */
  readonly dark: string;
}

/** In pixels of a picture that is 1080 high: read from a sofa, on a phone's camera. */
const BESIDE = 340;
const ALONE = 520;
const SMALLEST_MODULE = 6;
const WORDS_SIZE = 34;
/** Between the card and the panel, as `code-card.css` has it. */
const GAP = 28;
/** Three lines of the address, and the air around them. */
const WORDS_HEIGHT = 130;

/**
 * The code and the address in words under it, dark on light in every theme. It stands beside the panel, below or above it where
 * the picture is narrow, or is what the panel shows. Each module is a whole number of pixels of the screen.
 */
export class CodeCard implements Drawing {
  readonly #card: HTMLElement;
  readonly #drawing: SVGElement;
  readonly #dark: SVGElement;
  readonly #words: HTMLElement;
  readonly #isAlone: boolean;
  #code: VoteCode | undefined;
  #stays = false;
  #isSpent = false;

  /** @param place beside the panel on the stage, or alone in its body */
  constructor(parent: HTMLElement, place: 'beside' | 'alone') {
    this.#isAlone = place === 'alone';
    this.#card = addElement(parent, 'figure', 'code-card');
    this.#card.hidden = true;
    this.#drawing = addSvg(this.#card, 'svg', { 'aria-hidden': 'true', 'shape-rendering': 'crispEdges' });
    this.#dark = addSvg(this.#drawing, 'path', {});
    this.#words = addElement(this.#card, 'figcaption', 'address');
    this.#words.dir = 'ltr';
  }

  /** It is all that there would be to see, and is not there yet. */
  get isLacking(): boolean {
    return this.#isAlone && !this.#code;
  }

  /** It was all that there was to see, and nobody can vote there any more. */
  get isOver(): boolean {
    return this.#isAlone && this.#isSpent;
  }

  /** @param stays also when the poll is closed: it leads to whatever is voted on next */
  show(code: VoteCode, stays: boolean): void {
    this.#code = code;
    this.#stays = stays;
    this.#card.hidden = false;
    this.#drawing.setAttribute('viewBox', `0 0 ${code.modules} ${code.modules}`);
    this.#dark.setAttribute('d', code.dark);
    setText(this.#words, inWords(code.address));
  }

  /** What nobody can vote in any more needs no code; its place stays free. */
  judge(status: PollStatus | undefined): void {
    this.#isSpent = status === 'closed' && !this.#stays;
    this.#card.classList.toggle('spent', this.#isSpent);
  }

  /** Sets its size beside the panel. @returns what it takes of the stage, in units, the gap included */
  standBeside(unitPx: number): Size {
    if (!this.#code || this.#isAlone) return { width: 0, height: 0 };
    const width = this.#draw(BESIDE, unitPx);
    return { width: width + GAP, height: this.#card.offsetHeight / unitPx + GAP };
  }

  preferredWidth(): number {
    return ALONE + 68;
  }

  fit(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** As what the panel shows. */
  draw(_: unknown, room: Room): number {
    const unitPx = Number.parseFloat(getComputedStyle(this.#card).getPropertyValue('--u'));
    this.#draw(Math.min(room.width, Math.max(BESIDE, room.height - WORDS_HEIGHT)), unitPx);
    return 0;
  }

  /** @returns its width in units */
  #draw(wanted: number, unitPx: number): number {
    const { modules } = this.#code ?? { modules: 1 };
    const modulePx = Math.max(1, Math.floor(Math.max(SMALLEST_MODULE, wanted / modules) * unitPx));
    const units = (modules * modulePx) / unitPx;
    setStyle(this.#card, 'width', `${modules * modulePx}px`);
    setStyle(this.#card, '--module', `${modulePx}px`);
    fitText([this.#words], `${units}`, WORDS_SIZE, SMALLEST_TEXT);
    return units;
  }
}

/** As one would say it: browsers add the rest. A line may end after a slash. */
function inWords(address: string): string {
  return address.replace(/^https?:\/\//, '').replaceAll('/', '/\u200b');
}
