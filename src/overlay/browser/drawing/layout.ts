import { directionOfText } from '../../../web/i18n.ts';
import type { Theme } from '../../look/themes.ts';
import type { Settings } from '../../parameter/read-parameters.ts';
import type { Picture, PollSnapshot } from '../../picture/picture.ts';
import type { OverlayWording } from '../../picture/wording.ts';
import { isLongCount } from '../../picture/wording.ts';
import { type Canvas, measureCanvas } from './canvas.ts';
import type { CodeCard } from './code-card.ts';
import type { Drawing, Room } from './drawing.ts';
import type { Panel } from './panel.ts';

/** The footer and the two gaps of the panel, as `panel.css` has them. */
const FOOT_HEIGHT = 70;
/** A panel that is narrower, or a line across the screen, has no room for counts of ten digits. */
const NARROW_PANEL = 700;
const TITLE_GAP = 28;
/** In units: what stood side by side stands on top of each other below this. */
const COLUMN_SHAPED_BELOW = 900;
/** Before text gets smaller a panel grows to so much of the width that there is. */
const WIDEST_PANEL = 0.6;

export interface LaidOut {
  readonly settings: Settings;
  readonly theme: Theme;
  readonly wording: OverlayWording;
  readonly panel: Panel;
  readonly drawing: Drawing;
  readonly code: CodeCard | undefined;
}

/** How large the panel is, and what it leaves its body. Measuring costs a layout: done where something changed that matters. */
export class Layout {
  readonly #stage: HTMLElement;
  readonly #parts: LaidOut;
  #canvas: Canvas;
  #laidOut = '';
  #yielded = { key: '', width: 0, height: 0, compact: false };
  #outer = 0;
  #room: Room = { width: 0, height: 0, compact: false };
  /** For which picture the height was looked at last. */
  #checked = '';

  constructor(stage: HTMLElement, parts: LaidOut) {
    this.#stage = stage;
    this.#parts = parts;
    this.#canvas = measureCanvas(stage, parts.settings);
  }

  /** The stage has another size, or its text another font. */
  measure(): void {
    this.#canvas = measureCanvas(this.#stage, this.#parts.settings);
    this.#laidOut = '';
  }

  layOut(poll: PollSnapshot): Room {
    const { settings, theme, wording, panel, drawing } = this.#parts;
    const { width, height, unitPx } = this.#free();
    const place = [width, height, poll.poll_answers.length, poll.title].join(' ');
    if (place !== this.#yielded.key) this.#yielded = { key: place, width: 0, height: 0, compact: false };
    const key = Object.values(this.#yielded).join(' ');
    if (key === this.#laidOut) return this.#room;
    this.#laidOut = key;
    // Whoever asks for a language gets its layout; else a poll is laid out as its title is read.
    const ownDirection = settings.lang === null ? directionOfText(poll.title) : undefined;
    this.#stage.dir = ownDirection ?? wording.direction;
    const answers = Math.min(poll.poll_answers.length, settings.top ?? Number.POSITIVE_INFINITY);
    const preferred = drawing.preferredWidth(answers) + this.#yielded.width;
    this.#outer = Math.min(width, settings.width === null ? preferred : (width * settings.width) / 100);
    const titleHeight = panel.layOut(poll.title, this.#outer) / unitPx;
    const around = 2 * theme.padding;
    const title = titleHeight > 0 ? titleHeight + TITLE_GAP : 0;
    this.#room = {
      width: this.#outer - around,
      height: height - around - title - FOOT_HEIGHT - this.#yielded.height,
      compact: this.#yielded.compact || this.#outer < NARROW_PANEL || settings.style === 'ticker',
    };
    return this.#room;
  }

  /** What the code leaves of the canvas, beside it or, where that is narrow, below or above it. */
  #free(): Canvas {
    const { width, height, unitPx } = this.#canvas;
    const isColumn = width < COLUMN_SHAPED_BELOW;
    this.#stage.classList.toggle('column-shaped', isColumn);
    const taken = this.#parts.code?.standBeside(unitPx) ?? { width: 0, height: 0 };
    return isColumn
      ? { width, height: height - taken.height, unitPx }
      : { width: width - taken.width, height, unitPx };
  }

  /**
   * Makes room where a picture lacks some: the panel gets wider, then counts get shorter; a footer of several lines takes from
   * the body. Returns whether that asks for another `layOut`.
   *
   * @param lackPx of width, in CSS pixels
   */
  makeRoom(lackPx: number, picture: Picture): boolean {
    const { settings, panel } = this.#parts;
    const lack = Math.max(lackPx, panel.titleLackPx);
    const key = `${this.#laidOut} ${picture.moment}`;
    if (lack === 0 && key === this.#checked) return false;
    const { width, height, unitPx } = this.#free();
    const free = settings.width === null ? width * WIDEST_PANEL - this.#outer : 0;
    if (lack > 0 && free >= 1) {
      this.#yielded.width += Math.min(free, Math.ceil(lack / unitPx));
      return true;
    }
    if (lackPx > 0 && !this.#room.compact && isLongCount(picture.mostVotes)) {
      this.#yielded.compact = true;
      return true;
    }
    this.#checked = key;
    const above = panel.element.offsetHeight / unitPx - height;
    // A body gives whole rows, so a little may not help at first; one that has given all there was has no more.
    if (above < 1 || this.#yielded.height >= height) return false;
    this.#yielded.height += Math.ceil(above);
    return true;
  }
}
