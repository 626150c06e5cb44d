import type { Theme } from '../../look/themes.ts';
import type { Settings } from '../../parameter/read-parameters.ts';
import { directionOfText } from '../../picture/phrases.ts';
import type { PollSnapshot } from '../../picture/picture.ts';
import type { Wording } from '../../picture/wording.ts';
import { type Canvas, measureCanvas } from './canvas.ts';
import type { CodeCard } from './code-card.ts';
import type { Drawing, Room } from './drawing.ts';
import type { Panel } from './panel.ts';

/** The footer and the two gaps of the panel, as `panel.css` has them. */
const FOOT_HEIGHT = 70;
/** In a narrow panel the footer may take a second line. */
const NARROW_PANEL = 700;
const SECOND_LINE = 36;
const TITLE_GAP = 28;
/** In units: what stood side by side stands on top of each other below this. */
const COLUMN_SHAPED_BELOW = 900;
/** Before text gets smaller a panel grows to so much of the width that there is. */
const WIDEST_PANEL = 0.6;

export interface LaidOut {
  readonly settings: Settings;
  readonly theme: Theme;
  readonly wording: Wording;
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
  #grown = { key: '', units: 0 };
  #outer = 0;
  #room: Room = { width: 0, height: 0 };

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
    const grownKey = [width, height, poll.poll_answers.length, poll.title].join(' ');
    if (grownKey !== this.#grown.key) this.#grown = { key: grownKey, units: 0 };
    const key = `${grownKey} ${this.#grown.units}`;
    if (key === this.#laidOut) return this.#room;
    this.#laidOut = key;
    // Whoever asks for a language gets its layout; else a poll is laid out as its title is read.
    const ownDirection = settings.lang === null ? directionOfText(poll.title) : undefined;
    this.#stage.dir = ownDirection ?? wording.direction;
    const answers = Math.min(poll.poll_answers.length, settings.top ?? Number.POSITIVE_INFINITY);
    const preferred = drawing.preferredWidth(answers) + this.#grown.units;
    this.#outer = Math.min(width, settings.width === null ? preferred : (width * settings.width) / 100);
    const titleHeight = panel.layOut(poll.title, this.#outer) / unitPx;
    const around = 2 * theme.padding;
    const title = titleHeight > 0 ? titleHeight + TITLE_GAP : 0;
    const foot = this.#outer < NARROW_PANEL ? FOOT_HEIGHT + SECOND_LINE : FOOT_HEIGHT;
    this.#room = { width: this.#outer - around, height: height - around - title - foot };
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

  /** Makes room for `lackPx` more CSS pixels where there is some, and returns whether that asks for another `layOut`. */
  grow(lackPx: number): boolean {
    if (lackPx <= 0 || this.#parts.settings.width !== null) return false;
    const free = this.#free().width * WIDEST_PANEL - this.#outer;
    if (free < 1) return false;
    const units = Math.min(free, Math.ceil(lackPx / this.#canvas.unitPx));
    this.#grown = { key: this.#grown.key, units: this.#grown.units + units };
    return true;
  }
}
