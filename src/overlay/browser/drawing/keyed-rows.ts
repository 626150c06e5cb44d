import type { PictureRow } from '../../picture/picture.ts';

interface Row {
  readonly element: HTMLElement;
  /** Belongs to the answer too, elsewhere in the document. */
  readonly part?: Element;
}

/**
 * Keeps one element for each answer, whatever the order: that an element stays the same one is what lets it
 * slide to its new place. Answers that come or go appear and vanish where they are.
 */
export class KeyedRows<R extends Row> {
  readonly #parent: ParentNode;
  readonly #create: (parent: ParentNode, row: PictureRow) => R;
  readonly #rows = new Map<string, R>();

  constructor(parent: ParentNode, create: (parent: ParentNode, row: PictureRow) => R) {
    this.#parent = parent;
    this.#create = create;
  }

  /** Calls `draw` for every row, in order, and removes the elements of all others. */
  place(rows: readonly PictureRow[], draw: (element: R, row: PictureRow, at: number) => void): R[] {
    const ids = new Set(rows.map(row => row.id));
    for (const [id, row] of this.#rows) {
      if (ids.has(id)) continue;
      row.element.remove();
      row.part?.remove();
      this.#rows.delete(id);
    }
    return rows.map((row, at) => {
      const known = this.#rows.get(row.id) ?? this.#create(this.#parent, row);
      this.#rows.set(row.id, known);
      draw(known, row, at);
      return known;
    });
  }
}
