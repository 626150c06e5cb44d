import { randomBytes } from 'node:crypto';
import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** For the pages that one step of a void may change, and some more. */
const BYTES = 4 * 1024 * 1024;
const OWNER_ONLY = 0o600;
export const RESERVE_FILE = 'tallycast.reserve';

/** A file that holds room on the disk for what ends things, when everything else finds none. */
export class RoomReserve {
  readonly #path: string | undefined;
  /** Its room is in use: what only adds must wait. */
  isOut: boolean;

  /** @param directory undefined beside the process that has the file */
  constructor(directory: string | undefined) {
    this.#path = directory && join(directory, RESERVE_FILE);
    this.isOut = !this.#path || statSync(this.#path, { throwIfNoEntry: false })?.size !== BYTES;
    try {
      this.keep();
    } catch {
      // A start with little room: there is no reserve then.
    }
    this.isOut = false;
  }

  release(): void {
    if (!this.#path || this.isOut) return;
    this.isOut = true;
    try {
      truncateSync(this.#path);
    } catch {}
  }

  /** Takes the room back, if it is in use. @throws Error without room on the disk */
  keep(): void {
    if (!this.#path || !this.isOut) return;
    try {
      // Random, because some file systems store zeros without room.
      writeFileSync(this.#path, randomBytes(BYTES), { mode: OWNER_ONLY });
      this.isOut = false;
    } catch (error) {
      rmSync(this.#path, { force: true });
      throw error;
    }
  }
}
