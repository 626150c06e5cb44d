import { NO_SLOT } from './bulk-writer.ts';

const FEWEST = 1_024;
/** Whole numbers up to here take no memory of their own in V8. */
const MOST_SLOTS = 2 ** 30 - 1;

/**
 * The descriptors of sockets, close together in memory and found by slot. A number of a slot is not given again before a billion
 * others were, so that whoever holds on to a slot that was closed finds nothing there, and never the socket of a stranger.
 */
export class DescriptorTable {
  /** In pairs: the slot, or `NO_SLOT`, and the descriptor, 0 where there is none. */
  #cells = new Int32Array(2 * FEWEST);
  #newest = 0;
  #open = 0;

  /** @returns a slot without a descriptor, above 0 */
  open(): number {
    // At most half full, so that the next free cell is near.
    if (4 * this.#open >= this.#cells.length) this.#grow();
    do this.#newest = (this.#newest % MOST_SLOTS) + 1;
    while (this.#cells[this.#cellOf(this.#newest)] !== NO_SLOT);
    this.#cells[this.#cellOf(this.#newest)] = this.#newest;
    this.#open += 1;
    return this.#newest;
  }

  close(slot: number): void {
    const cell = this.#cellOf(slot);
    if (slot === NO_SLOT || this.#cells[cell] !== slot) return;
    this.#cells.fill(0, cell, cell + 2);
    this.#open -= 1;
  }

  /** @param descriptor 0 to forget it. Of a slot that is closed nothing is noted */
  set(slot: number, descriptor: number): void {
    const cell = this.#cellOf(slot);
    if (slot !== NO_SLOT && this.#cells[cell] === slot) this.#cells[cell + 1] = descriptor;
  }

  /** @returns 0 where there is none */
  get(slot: number): number {
    const cell = this.#cellOf(slot);
    return this.#cells[cell] === slot ? (this.#cells[cell + 1] as number) : 0;
  }

  #cellOf(slot: number): number {
    return (2 * slot) & (this.#cells.length - 1);
  }

  /** To twice the size, in which slots that had cells of their own have so again. */
  #grow(): void {
    const before = this.#cells;
    this.#cells = new Int32Array(2 * before.length);
    for (let cell = 0; cell < before.length; cell += 2) {
      const slot = before[cell] as number;
      if (slot === NO_SLOT) continue;
      const place = this.#cellOf(slot);
      this.#cells[place] = slot;
      this.#cells[place + 1] = before[cell + 1] as number;
    }
  }
}

/**
 * Where frames are written past the streams. A socket has no descriptor here before its first frame, while anything waits in its
 * stream, and from its end on.
 */
export const descriptors = new DescriptorTable();
