import { directionOfText } from '../../../locales/i18n.ts';
import type { Settings } from '../../../picture/parameters.ts';
import type { Picture, PollSnapshot } from '../../../picture/picture.ts';
import { styleTraits } from '../../../picture/styles.ts';
import type { Theme } from '../../../picture/themes.ts';
import { isLongCount, type OverlayWording } from '../../../picture/wording.ts';
import type { CodeCard } from './code-card.ts';
import type { Drawing, Room, Size } from './drawing.ts';
import { setStyle } from './element.ts';
import type { Panel } from './panel.ts';

/** Sizes are in units: pixels of this picture, which scales to the screen. */
const FULL = { width: 1920, height: 1080 };
/** A narrow screen scales as if it were at least this wide, so that a line of text fits. */
const COLUMN_WIDTH = 640;
/** Keeps the smallest text at 12 CSS pixels. */
const SMALLEST_UNIT_PX = 12 / 28.5;
/** Footer and the two gaps of `panel.css`. */
const FOOT_HEIGHT = 70;
/** The same with the larger clock of `host.css`. */
const OFF_AIR_FOOT_HEIGHT = 96;
/** A narrower panel has no room for counts of ten digits. */
const NARROW_PANEL = 700;
const TITLE_GAP = 28;
/** A title of more than two lines leaves so much of the height free, where the mark of a rehearsal is. */
const TITLE_AIR = 70;
/** Below this width things stack instead of standing side by side. */
const COLUMN_SHAPED_BELOW = 900;
/** A panel grows to this part of the width before its text shrinks, and in steps to all of it before text is cut. */
const WIDEST_PANEL = 0.6;
const WIDER = 0.2;
/** Least room for a panel beside or below a QR code. A code that leaves less gives way, also to a question. */
const LEAST_PANEL = { width: 480, height: 430 };
/** A screen beside the air is read from further away, and has more room. */
const OFF_AIR_SCALE = 1.3;

interface Canvas extends Size {
  readonly unitPx: number;
}

/** Sets the unit `--u` and the margins, and returns the safe area in units. A low and wide screen scales by its width. */
function measureCanvas(stage: HTMLElement, { style, size, margin }: Settings): Canvas {
  const widthPx = stage.clientWidth || FULL.width;
  const heightPx = stage.clientHeight || FULL.height;
  const scale = styleTraits[style].isOffAir ? OFF_AIR_SCALE : 1;
  const whole = scale * Math.max(heightPx / FULL.height, widthPx / FULL.width);
  const fitted = Math.max(SMALLEST_UNIT_PX, Math.min(whole, widthPx / COLUMN_WIDTH));
  const unitPx = fitted * (size / 100);
  const [marginX, marginY] = [(widthPx * margin) / 100, (heightPx * margin) / 100];
  setStyle(stage, '--u', `${unitPx.toFixed(4)}px`);
  setStyle(stage, '--margin-x', `${marginX}px`);
  setStyle(stage, '--margin-y', `${marginY}px`);
  return { unitPx, width: (widthPx - 2 * marginX) / unitPx, height: (heightPx - 2 * marginY) / unitPx };
}

const yieldNothing = (key: string) => ({ key, width: 0, height: 0, compact: false, code: false });

export interface LaidOut {
  readonly settings: Settings;
  readonly theme: Theme;
  readonly wording: OverlayWording;
  readonly panel: Panel;
  readonly drawing: Drawing;
  readonly code: CodeCard | undefined;
}

/** Sizes the panel and its body. Measuring costs a layout, so it is repeated only after a relevant change. */
export class Layout {
  readonly #stage: HTMLElement;
  readonly #parts: LaidOut;
  readonly #footHeight: number;
  #canvas: Canvas;
  #laidOut = '';
  /** Concessions to what did not fit, for the poll of `key`. */
  #yielded = yieldNothing('');
  #outer = 0;
  #room: Room = { width: 0, height: 0, compact: false };
  /** Key of the picture whose height was checked last. */
  #checked = '';

  constructor(stage: HTMLElement, parts: LaidOut) {
    this.#stage = stage;
    this.#parts = parts;
    this.#canvas = measureCanvas(stage, parts.settings);
    this.#footHeight = styleTraits[parts.settings.style].isOffAir ? OFF_AIR_FOOT_HEIGHT : FOOT_HEIGHT;
  }

  measure(): void {
    this.#canvas = measureCanvas(this.#stage, this.#parts.settings);
    this.#laidOut = '';
    this.#yielded = yieldNothing('');
    this.#checked = '';
  }

  layOut(poll: PollSnapshot): Room {
    const { settings, theme, wording, panel, drawing, code } = this.#parts;
    const texts = `${poll.poll_answers.length} ${poll.title}`;
    if (texts !== this.#yielded.key) this.#yielded = yieldNothing(texts);
    const { width, height, unitPx } = this.#free();
    const key = Object.values(this.#yielded).join(' ');
    if (key === this.#laidOut) return this.#room;
    this.#laidOut = key;
    // An explicit language sets the direction, else the title does.
    const ownDirection = settings.lang === null ? directionOfText(poll.title) : undefined;
    this.#stage.dir = ownDirection ?? wording.direction;
    const answers = poll.poll_answers.slice(0, settings.top ?? undefined).map(({ answer }) => answer);
    const wanted = drawing.preferredWidth(answers.length) + this.#yielded.width;
    this.#outer = Math.min(width, settings.width === null ? wanted : (width * settings.width) / 100);
    const around = 2 * theme.padding;
    const free = height - around - TITLE_GAP - this.#footHeight - this.#yielded.height;
    const { least, preferred } = drawing.heights(answers, this.#outer - around);
    const room = { floor: drawing.answerSize, wanted: free - preferred - TITLE_AIR, most: free - least };
    const titleHeight = panel.layOut(poll.title, this.#outer, room) / unitPx;
    const title = titleHeight > 0 ? titleHeight + TITLE_GAP : 0;
    if (panel.isUntitled && code && code !== drawing && !this.#yielded.code) {
      this.#yielded = { ...yieldNothing(texts), code: true };
      return this.layOut(poll);
    }
    const isNarrow = this.#outer < NARROW_PANEL || styleTraits[settings.style].isStrip === true;
    this.#room = {
      width: this.#outer - around,
      height: height - around - title - this.#footHeight - this.#yielded.height,
      compact: this.#yielded.compact || isNarrow,
    };
    return this.#room;
  }

  /** Returns what the QR code leaves of the canvas, which is beside the panel, or above or below it on a narrow screen. */
  #free(): Canvas {
    const { width, height, unitPx } = this.#canvas;
    const { classList } = this.#stage;
    const isColumn = width < COLUMN_SHAPED_BELOW;
    classList.toggle('column-shaped', isColumn);
    const taken = this.#parts.code?.fitBeside(unitPx) ?? { width: 0, height: 0 };
    const isBelow = isColumn && !this.#yielded.code && height - taken.height >= LEAST_PANEL.height;
    const isBeside =
      !isBelow && !this.#yielded.code && width - taken.width >= LEAST_PANEL.width && taken.height <= height;
    classList.toggle('code-below', isBelow);
    classList.toggle('codeless', !isBelow && !isBeside);
    if (isBelow) return { width, height: height - taken.height, unitPx };
    return { width: isBeside ? width - taken.width : width, height, unitPx };
  }

  /** Widens the panel, then shortens counts, then widens it further where text is cut, then takes height from the body. Returns whether to lay out and draw again. */
  makeRoom(lackPx: number, picture: Picture): boolean {
    const { settings, panel } = this.#parts;
    const lack = Math.max(lackPx, panel.titleLackPx);
    const key = `${this.#laidOut} ${picture.moment} ${panel.footHeight}`;
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
    const wider = Math.min(width * WIDER, width - this.#outer);
    if (settings.width === null && wider >= 1 && panel.element.querySelector('.cut')) {
      this.#yielded.width += wider;
      return true;
    }
    this.#checked = key;
    const above = panel.element.offsetHeight / unitPx - height;
    // A body shrinks by whole rows, so a small step may have no effect at first; the body's own height is the limit.
    if (above < 1 || this.#yielded.height >= height) return false;
    this.#yielded.height += Math.ceil(above);
    return true;
  }
}
