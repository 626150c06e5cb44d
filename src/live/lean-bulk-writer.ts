import type { Traffic } from '../metrics/catalogue.ts';
import type { BulkWriter } from './bulk-writer.ts';
import { descriptors } from './descriptor-table.ts';
import { writeDirectly } from './direct-write.ts';
import type { Frame } from './frame.ts';

/** Writes a frame to many lean WebSockets, and touches nothing but their descriptors. */
export class LeanBulkWriter implements BulkWriter {
  readonly #traffic: Traffic;

  constructor(traffic: Traffic) {
    this.#traffic = traffic;
  }

  write(
    frame: Frame,
    slots: Int32Array,
    start: number,
    end: number,
    onShort: (index: number, taken: number) => void,
  ): void {
    const { websocket: bytes, isPublic } = frame;
    let whole = 0;
    for (let index = start; index < end; index += 1) {
      const taken = writeDirectly(descriptors.get(slots[index] as number), bytes);
      if (taken === bytes.length) whole += 1;
      else onShort(index, taken);
    }
    const { frames, bytes: sent } = this.#traffic;
    frames.value += whole;
    if (isPublic) sent.value += whole * bytes.length;
  }
}
