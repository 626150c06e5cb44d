import type { PictureRow } from '../../picture/picture.ts';
import type { DrawingTools } from './drawing.ts';
import { addElement } from './element.ts';
import type { Figure } from './figures.ts';
import type { Motion } from './motion.ts';

/** The figures of one answer: its percentage, its count, or both, whichever the settings ask for. */
export class Values {
  readonly element: HTMLElement;
  readonly #percent: Figure | undefined;
  readonly #count: Figure | undefined;
  #compact = false;

  /** @param element with the class `values`, empty */
  constructor(element: HTMLElement, { settings, figures, wording }: DrawingTools) {
    this.element = element;
    element.classList.add(`values-${settings.values}`);
    if (settings.values !== 'percent') {
      const cell = addElement(element, 'span', 'count');
      const format = (votes: number) =>
        this.#compact ? wording.compactNumber(votes) : wording.number(votes);
      this.#count = figures.add(cell, value => format(Math.round(value)));
    }
    if (settings.values !== 'count') {
      const cell = addElement(element, 'span', 'percent');
      this.#percent = figures.add(cell, value => wording.percent(value));
    }
  }

  /** @param compact in few digits; the same for all figures that stand beside each other */
  set(row: Pick<PictureRow, 'percent' | 'votes'>, motion: Motion, delayMs: number, compact = false): void {
    if (compact !== this.#compact) {
      this.#compact = compact;
      this.#count?.write();
    }
    this.#percent?.set(row.percent, motion, delayMs);
    this.#count?.set(row.votes, motion, delayMs);
  }
}
