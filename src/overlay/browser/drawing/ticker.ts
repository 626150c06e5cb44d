import { SMALLEST_TEXT } from '../../look/type-scale.ts';
import type { Picture, PictureRow } from '../../picture/picture.ts';
import { drawAnswer } from './answer.ts';
import { type Drawing, type DrawingTools, type Room, roomKey, writesCompact } from './drawing.ts';
import { addElement, addText, setStyle, setText, unitPx } from './element.ts';
import { fillOf, paint } from './fills.ts';
import { fitText } from './fit-text.ts';
import { KeyedRows } from './keyed-rows.ts';
import type { Motion } from './motion.ts';
import { Values } from './values.ts';

/** Cells that change places do not pass each other: each has a line of its own to leave by. */
const TURNS: Motion = { kind: 'change', swapMs: 0 };
/** The least room for an answer and its figures. */
const NARROWEST = { percent: 370, count: 390, both: 430 };
/** What says which group is in sight, with the gap before it; as `ticker.css` has it. */
const TURNS_ROOM = 120;
const LABEL_SIZE = 34;
/** In letters: what stands around a name, figures included, and the length from which a name gets no more room than others. */
const AROUND = 14;
const LONGEST = 40;
const SECOND_MS = 1000;

interface Cell {
  readonly element: HTMLElement;
  readonly swatch: HTMLElement;
  readonly label: HTMLElement;
  readonly values: Values;
}

/** One line across the screen. Answers that do not fit beside each other take turns. */
export class Ticker implements Drawing {
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
    this.#cells = new KeyedRows<Cell>(this.#lane, parent => addCell(parent, tools));
    this.#turns = addElement(body, 'span', 'turns');
    this.#timer = setInterval(() => this.#takeTurns(), tools.settings.turn * SECOND_MS);
  }

  preferredWidth(): number {
    return Number.POSITIVE_INFINITY;
  }

  fit(): number {
    return Number.POSITIVE_INFINITY;
  }

  draw(picture: Picture, room: Room, motion: Motion): number {
    this.#drawn = { picture, room };
    if (motion.kind !== 'change') this.#measure(picture.rows.length);
    this.#place(picture, room, motion.kind === 'change' ? TURNS : motion);
    return 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** The title takes what it needs, so only the page knows what it left. */
  #measure(rows: number): void {
    const width = this.#body.clientWidth / unitPx(this.#body);
    const slotsIn = (room: number) => Math.max(1, Math.floor(room / NARROWEST[this.#tools.settings.values]));
    this.#slots = slotsIn(width) >= rows ? slotsIn(width) : slotsIn(width - TURNS_ROOM);
  }

  #takeTurns(): void {
    if (!this.#drawn) return;
    const { picture, room } = this.#drawn;
    this.#measure(picture.rows.length);
    this.#turn += 1;
    this.#place(picture, room, TURNS);
  }

  #place(picture: Picture, room: Room, motion: Motion): void {
    const { rows } = picture;
    const slots = Math.max(1, Math.min(this.#slots, rows.length));
    const turns = Math.max(1, Math.ceil(rows.length / slots));
    setText(this.#turns, turns > 1 ? `${(this.#turn % turns) + 1}/${turns}` : '');
    const now = this.#turn % turns;
    const compact = writesCompact(room, picture);
    const cells = this.#cells.place(rows, motion, (cell, row, at, delayMs) => {
      const behind = (Math.floor(at / slots) - now + turns) % turns;
      // What was just shown leaves upwards, what comes next waits below.
      const line = behind === 0 ? 0 : behind === turns - 1 ? -1 : 1;
      const { width, before } = shareOf(rows, at, slots);
      setStyle(cell.element, 'width', `${(width * 100).toFixed(2)}%`);
      const shift = ((before / width) * 100).toFixed(2);
      setStyle(cell.element, 'transform', `translate(calc(var(--way) * ${shift}%), ${line * 100}%)`);
      cell.element.classList.toggle('waits', line !== 0);
      drawCell(cell, row, picture, this.#tools);
      cell.values.set(row, motion, delayMs, compact);
    });
    const labels = cells.map(cell => cell.label);
    const beside = rows.map(row => row.place).join();
    const key = `${this.#lane.clientWidth} ${slots} ${beside} ${roomKey(room, picture)}`;
    fitText(labels, key, LABEL_SIZE, SMALLEST_TEXT);
  }
}

export function createTicker(body: HTMLElement, tools: DrawingTools): Drawing {
  return new Ticker(body, tools);
}

function addCell(parent: ParentNode, tools: DrawingTools): Cell {
  const element = addElement(parent, 'div', 'row cell');
  const swatch = addElement(element, 'span', 'swatch');
  const label = addText(element, 'bdi', 'label');
  const values = new Values(addElement(element, 'div', 'values'), tools);
  return { element, swatch, label, values };
}

/** Long names get more of a line than short ones: its part of the width, and that of all before it. */
function shareOf(rows: readonly PictureRow[], at: number, slots: number): { width: number; before: number } {
  const first = at - (at % slots);
  const lengths = rows.slice(first, first + slots).map(row => AROUND + Math.min(LONGEST, row.answer.length));
  const sum = (parts: readonly number[]) => parts.reduce((all, length) => all + length, 0);
  // The last line may be short of answers; none gets more than it would beside others.
  const whole = (sum(lengths) / lengths.length) * slots;
  return { width: lengths[at - first]! / whole, before: sum(lengths.slice(0, at - first)) / whole };
}

function drawCell(cell: Cell, row: PictureRow, picture: Picture, tools: DrawingTools): void {
  drawAnswer(cell, row, picture, tools.wording);
  cell.element.classList.toggle('lost', row.lost);
  paint(cell.swatch, fillOf(row.place, tools.settings));
}
