import type { PictureRow } from '../../picture/picture.ts';
import type { DrawingTools } from './drawing.ts';
import { addElement } from './element.ts';
import type { Figure } from './figures.ts';

/** The figures of one answer: its percentage, its count, or both, whichever the settings ask for. */
export class Values {
  readonly element: HTMLElement;
  readonly #percent: Figure | undefined;
  readonly #count: Figure | undefined;

  constructor(parent: ParentNode, tools: DrawingTools, formatCount = tools.wording.count) {
    const { settings, figures, wording } = tools;
    this.element = addElement(parent, 'div', `values values-${settings.values}`);
    if (settings.values !== 'percent') {
      const cell = addElement(this.element, 'span', 'count');
      this.#count = figures.add(cell, value => formatCount(Math.round(value)));
    }
    if (settings.values !== 'count') {
      const cell = addElement(this.element, 'span', 'percent');
      this.#percent = figures.add(cell, wording.percent);
    }
  }

  set(row: Pick<PictureRow, 'percent' | 'votes'>, still: boolean): void {
    this.#percent?.set(row.percent, still);
    this.#count?.set(row.votes, still);
  }
}
