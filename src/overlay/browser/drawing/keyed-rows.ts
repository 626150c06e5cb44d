import type { PictureRow } from '../../picture/picture.ts';
import { delay, type Motion } from './motion.ts';

interface Row {
  readonly element: HTMLElement;
  /** Belongs to the answer too, elsewhere in the document. */
  readonly part?: SVGElement;
}

/**
 * Keeps one element for each answer, whatever the order: that an element stays the same one is what lets it
 * slide to its new place. Answers that come or go appear and vanish where they are.
 */
export class KeyedRows<R extends Row> {
  readonly #parent: ParentNode;
  readonly #create: (parent: ParentNode, row: PictureRow) => R;
  readonly #rows = new Map<string, R>();
  /** Where each answer stood last. */
  readonly #places = new Map<string, number>();

  constructor(parent: ParentNode, create: (parent: ParentNode, row: PictureRow) => R) {
    this.#parent = parent;
    this.#create = create;
  }

  /**
   * Calls `draw` for every row, in order, with the milliseconds after which it begins to come on, and removes the elements of
   * all others. Of two that change places the one that rises passes in front of the other, which fades meanwhile.
   */
  place(
    rows: readonly PictureRow[],
    motion: Motion,
    draw: (element: R, row: PictureRow, at: number, delayMs: number) => void,
  ): R[] {
    const ids = new Set(rows.map(row => row.id));
    for (const [id, row] of this.#rows) {
      if (ids.has(id)) continue;
      // A motion that goes on would keep what is gone.
      for (const running of row.element.getAnimations()) running.cancel();
      row.element.remove();
      row.part?.remove();
      this.#rows.delete(id);
      this.#places.delete(id);
    }
    return rows.map((row, at) => {
      const known = this.#rows.get(row.id) ?? this.#create(this.#parent, row);
      this.#rows.set(row.id, known);
      const { element, part } = known;
      const delayMs = delay(motion, at, rows.length, part ? [element, part] : [element]);
      if (motion.kind === 'change' && motion.swapMs > 0)
        pass(element, at - (this.#places.get(row.id) ?? at), motion.swapMs);
      this.#places.set(row.id, at);
      draw(known, row, at, delayMs);
      return known;
    });
  }
}

/** One that rises is in front; one that sinks lets it be read. */
function pass(element: HTMLElement, down: number, duration: number): void {
  if (down < 0) element.animate({ zIndex: [1, 1] }, { duration });
  if (down > 0) element.animate({ opacity: [1, 0.35, 1] }, { duration, easing: 'ease-in-out' });
}
