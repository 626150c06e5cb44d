import type { Wire } from '../../src/live/connection.ts';
import type { Frame } from '../../src/live/frame.ts';
import type { CloseEvent } from '../../src/protocol/close-event.ts';

/** A wire that a test blocks and frees. */
export class WireStub implements Wire {
  readonly written: string[] = [];
  isFull = false;
  probes = 0;
  farewells: CloseEvent[] = [];
  terminated = false;
  #whenFree: (() => void)[] = [];

  write(frame: Frame): boolean {
    this.written.push(frame.json);
    return !this.isFull;
  }

  whenFree(callback: () => void): void {
    this.#whenFree.push(callback);
  }

  free(): void {
    this.isFull = false;
    for (const callback of this.#whenFree.splice(0)) callback();
  }

  probe(): void {
    this.probes += 1;
  }

  farewell(event: CloseEvent): void {
    this.farewells.push(event);
  }

  terminate(): void {
    this.terminated = true;
  }
}
