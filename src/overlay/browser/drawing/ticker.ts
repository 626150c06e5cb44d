import { SMALLEST_TEXT } from '../../look/type-scale.ts';
import type { Picture, PictureRow } from '../../picture/picture.ts';
import { isLongCount } from '../../picture/wording.ts';
import { drawAnswer } from './answer.ts';
import type { Drawing, DrawingTools } from './drawing.ts';
import { addElement, addText, setStyle, setText } from './element.ts';
import { fillOf, paint } from './fills.ts';
import { fitText } from './fit-text.ts';
import { KeyedRows } from './keyed-rows.ts';
import type { Motion } from './motion.ts';
import { Values } from './values.ts';

/** Cells that change places do not pass each other: each has a line of its own to leave by. */
const TURNS: Motion = { kind: 'change', swapMs: 0 };
/** The least room for an answer and its figures. */
const NARROWEST = { percent: 370, count: 390, both: 470 };
const LABEL_SIZE = 34;
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
  readonly #turns: HTMLElement;
  readonly #timer: ReturnType<typeof setInterval>;
  #picture: Picture | undefined;
  #turn = 0;
  #slots = 1;

  constructor(body: HTMLElement, tools: DrawingTools) {
    this.#body = body;
    this.#tools = tools;
    this.#cells = new KeyedRows<Cell>(body, parent => addCell(parent, tools));
    this.#turns = addElement(body, 'span', 'turns');
    this.#timer = setInterval(() => this.#takeTurns(), tools.settings.turn * SECOND_MS);
  }

  preferredWidth(): number {
    return Number.POSITIVE_INFINITY;
  }

  fit(): number {
    return Number.POSITIVE_INFINITY;
  }

  draw(picture: Picture, _: unknown, motion: Motion): number {
    this.#picture = picture;
    if (motion.kind !== 'change') this.#measure();
    this.#place(picture, motion.kind === 'change' ? TURNS : motion);
    return 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** The title takes what it needs, so only the page knows what it left. */
  #measure(): void {
    const unitPx = Number.parseFloat(getComputedStyle(this.#body).getPropertyValue('--u'));
    this.#slots = Math.max(
      1,
      Math.floor(this.#body.clientWidth / unitPx / NARROWEST[this.#tools.settings.values]),
    );
  }

  #takeTurns(): void {
    if (!this.#picture) return;
    this.#measure();
    this.#turn += 1;
    this.#place(this.#picture, TURNS);
  }

  #place(picture: Picture, motion: Motion): void {
    const { rows } = picture;
    const slots = Math.min(this.#slots, rows.length);
    const turns = Math.max(1, Math.ceil(rows.length / Math.max(1, slots)));
    setText(this.#turns, turns > 1 ? `${(this.#turn % turns) + 1}/${turns}` : '');
    setStyle(this.#body, '--slots', `${Math.max(1, slots)}`);
    const now = this.#turn % turns;
    const compact = isLongCount(picture.mostVotes);
    const cells = this.#cells.place(rows, motion, (cell, row, at, delayMs) => {
      const behind = (Math.floor(at / slots) - now + turns) % turns;
      // What was just shown leaves upwards, what comes next waits below.
      const line = behind === 0 ? 0 : behind === turns - 1 ? -1 : 1;
      const shift = `translate(calc(var(--way) * 100% * ${at % slots}), ${line * 100}%)`;
      setStyle(cell.element, 'transform', shift);
      cell.element.classList.toggle('waits', line !== 0);
      drawCell(cell, row, picture, this.#tools);
      cell.values.set(row, motion, delayMs, compact);
    });
    const labels = cells.map(cell => cell.label);
    fitText(labels, `${slots} ${this.#body.clientWidth} ${picture.moment}`, LABEL_SIZE, SMALLEST_TEXT);
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

function drawCell(cell: Cell, row: PictureRow, picture: Picture, tools: DrawingTools): void {
  drawAnswer(cell, row, picture, tools.wording);
  cell.element.classList.toggle('lost', row.lost);
  paint(cell.swatch, fillOf(row.place, tools.settings));
}
