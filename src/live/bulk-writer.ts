import type { Frame } from './frame.ts';

/** Of who has no slot, and of a place that nobody has. */
export const NO_SLOT = 0;

/** Writes a frame to many wires in one go, none of whose objects it has to look at. */
export interface BulkWriter {
  /**
   * Hands a frame to all `slots` from `start` up to `end`. MUST NOT throw.
   *
   * @param onShort called for each that did not take the whole of it: the index of the slot, and how many bytes it took
   */
  write(
    frame: Frame,
    slots: Int32Array,
    start: number,
    end: number,
    onShort: (index: number, taken: number) => void,
  ): void;
}
