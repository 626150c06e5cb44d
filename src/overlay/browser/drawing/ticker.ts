import { fillOf } from '../../../picture/fill.ts';
import type { Picture, PictureRow } from '../../../picture/picture.ts';
import { lineHeightOf } from '../../../picture/text.ts';
import { SMALLEST_TEXT } from '../../../picture/themes.ts';
import { drawAnswer, KeyedRows, paint, Values } from './answers.ts';
import {
  type Drawing,
  type DrawingTools,
  type Heights,
  type Room,
  roomKey,
  writesCompact,
} from './drawing.ts';
import { addElement, addText, setStyle, setText, unitPx, units } from './element.ts';
import { fitText } from './fit-text.ts';
import type { Entrance, Motion } from './motion.ts';

/** Cells never pass each other, because they leave upwards and enter from below. */
const TURNS: Motion = { kind: 'change', swapMs: 0 };
/** Least width for an answer and its figures. */
const NARROWEST = { percent: 370, count: 390, both: 430 };
/** Width of the group number and its gap, as in `ticker.css`. */
const TURNS_ROOM = 120;
const LABEL_SIZE = 34;
/** The strip has room for two lines of the smallest names, and a name for as many as a title beside it is high. */
const USUAL_LINES = 2;
const MOST_LINES = 3;
/** What the badge takes above and below a name. */
const AIR = 16;
/** In letters: what is around a name, and the length from which names get no more room. */
const AROUND = 14;
const LONGEST = 40;
/** Letters as wide as two. */
const WIDE = /[\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/g;

interface Cell {
  readonly element: HTMLElement;
  readonly swatch: HTMLElement;
  readonly label: HTMLElement;
  readonly values: Values;
}

/** One line across the screen. Answers that do not fit take turns in groups. */
export class Ticker implements Drawing {
  readonly answerSize = LABEL_SIZE;
  readonly #body: HTMLElement;
  readonly #tools: DrawingTools;
  readonly #cells: KeyedRows<Cell>;
  readonly #lane: HTMLElement;
  readonly #turns: HTMLElement;
  readonly #timer: ReturnType<typeof setInterval>;
  #drawn: { readonly picture: Picture; readonly room: Room } | undefined;
  #turn = 0;
  #slots = 1;

  constructor(body: HTMLElement, tools: DrawingTools) {
    this.#body = body;
    this.#tools = tools;
    this.#lane = addElement(body, 'div', 'lane');
    this.#cells = new KeyedRows<Cell>(this.#lane, parent => {
      const element = addElement(parent, 'div', 'row cell');
      const swatch = addElement(element, 'span', 'swatch');
      const label = addText(element, 'bdi', 'label lines');
      return { element, swatch, label, values: new Values(addElement(element, 'div', 'values'), tools) };
    });
    this.#turns = addElement(body, 'span', 'turns');
    this.#timer = setInterval(() => this.#takeTurns(), tools.settings.turn * 1000);
  }

  preferredWidth(): number {
    return Number.POSITIVE_INFINITY;
  }

  heights(answers: readonly string[]): Heights {
    const height = heightOf(answers);
    return { least: height, preferred: height };
  }

  fit(): number {
    return Number.POSITIVE_INFINITY;
  }

  draw(picture: Picture, room: Room, motion: Motion): number {
    this.#drawn = { picture, room };
    if (motion.kind === 'change') this.#place(picture, room, TURNS);
    else {
      if (motion.kind === 'enter') this.#turn = 0;
      this.#chooseSlots(picture, room, motion);
    }
    return 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Shows as many answers at once as have room for their names. */
  #chooseSlots(picture: Picture, room: Room, motion: Motion): void {
    const most = Math.min(this.#mostSlots(picture.rows.length), Math.max(1, picture.rows.length));
    let best = { slots: most, cut: Number.POSITIVE_INFINITY };
    for (let slots = most; slots > 0 && best.cut > 0; slots--) {
      this.#slots = slots;
      const cut = this.#place(picture, room, motion);
      if (cut < best.cut) best = { slots, cut };
    }
    if (this.#slots === best.slots) return;
    this.#slots = best.slots;
    this.#place(picture, room, motion);
  }

  /** Measures the page, because the title takes what it needs. */
  #mostSlots(rows: number): number {
    const width = this.#body.clientWidth / unitPx(this.#body);
    const slotsIn = (room: number) => Math.max(1, Math.floor(room / NARROWEST[this.#tools.settings.values]));
    return slotsIn(width) >= rows ? slotsIn(width) : slotsIn(width - TURNS_ROOM);
  }

  #takeTurns(): void {
    // A reveal with a long pause is not interrupted.
    if (!this.#drawn || this.#body.closest('.entering')) return;
    const { picture, room } = this.#drawn;
    this.#turn += 1;
    this.#place(picture, room, TURNS);
  }

  /** Returns how many names are cut. */
  #place(picture: Picture, room: Room, motion: Motion): number {
    const { settings, wording } = this.#tools;
    const { rows } = picture;
    const slots = Math.max(1, Math.min(this.#slots, rows.length));
    const turns = Math.max(1, Math.ceil(rows.length / slots));
    const now = this.#turn % turns;
    setText(this.#turns, turns > 1 ? `${now + 1}/${turns}` : '');
    setStyle(this.#turns, 'min-width', `${2 * `${turns}`.length + 1}ch`);
    const names = rows.map(({ answer }) => answer);
    setStyle(this.#body, 'min-height', units(heightOf(names)));
    const compact = writesCompact(room, picture);
    const entrance = motion.kind === 'enter' ? inFirst(slots, motion) : motion;
    const cells = this.#cells.place(rows, entrance, (cell, row, at, delayMs) => {
      const { element, swatch, values } = cell;
      const behind = (Math.floor(at / slots) - now + turns) % turns;
      // The group shown before leaves upwards; the others wait below.
      const line = behind === 0 ? 0 : behind === turns - 1 ? -1 : 1;
      const { width, before } = shareOf(rows, at, slots);
      setStyle(element, 'width', `${(width * 100).toFixed(2)}%`);
      const shift = ((before / width) * 100).toFixed(2);
      setStyle(element, 'transform', `translate(calc(var(--way) * ${shift}%), ${line * 100}%)`);
      element.classList.toggle('waits', line !== 0);
      drawAnswer(cell, row, picture, wording);
      element.classList.toggle('lost', row.lost);
      paint(swatch, fillOf(row.place, settings));
      values.set(row, motion, delayMs, compact);
    });
    const places = rows.map(row => row.place).join();
    const { clientWidth, clientHeight } = this.#lane;
    const key = `${clientWidth} ${clientHeight} ${slots} ${places} ${roomKey(room, picture)}`;
    const labels = cells.map(cell => cell.label);
    const height = clientHeight / unitPx(this.#body) - AIR;
    const lineHeight = lineHeightOf(names);
    const lines = (size: number) =>
      Math.max(1, Math.min(MOST_LINES, Math.floor(height / (size * lineHeight))));
    fitText(labels, { key, largest: LABEL_SIZE, floor: SMALLEST_TEXT, lines });
    return labels.filter(label => label.classList.contains('cut')).length;
  }
}

function heightOf(answers: readonly string[]): number {
  return AIR + USUAL_LINES * SMALLEST_TEXT * lineHeightOf(answers);
}

/** Only the answers of the first group enter. */
function inFirst(slots: number, motion: Entrance): Entrance {
  return { ...motion, delaysMs: rows => motion.delaysMs(rows.slice(0, slots)) };
}

/** In letters. */
function widthOf(name: string): number {
  return name.replace(WIDE, '$&$&').length;
}

/** Returns an answer's part of the line, and that of all answers before it. Longer names get more. */
function shareOf(rows: readonly PictureRow[], at: number, slots: number): { width: number; before: number } {
  const first = at - (at % slots);
  const lengths = rows
    .slice(first, first + slots)
    .map(row => AROUND + Math.min(LONGEST, widthOf(row.answer)));
  const sum = (parts: readonly number[]) => parts.reduce((all, length) => all + length, 0);
  // The last group may be short of answers, which get no more room for that.
  const whole = (sum(lengths) / lengths.length) * slots;
  return { width: lengths[at - first]! / whole, before: sum(lengths.slice(0, at - first)) / whole };
}
