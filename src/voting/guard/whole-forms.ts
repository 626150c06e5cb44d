import type { IncomingMessage } from 'node:http';
import type { Visit } from './line.ts';

/** A request holds no more of its body until somebody reads it. */
const LARGEST_HELD_BYTES = 15_000;
const LOOK_EVERY_MS = 5;

/**
 * Forms whose bodies are on the way. They wait here, and not in line: somebody who sends a form byte by byte would hold a place
 * there. Most are whole in the same turn of the event loop.
 */
export class WholeForms {
  readonly #onWhole: () => void;
  #fresh: Visit[] = [];
  readonly #slow = new Set<Visit>();
  #timer: NodeJS.Timeout | undefined;

  /** @param onWhole there may be something to take */
  constructor(onWhole: () => void) {
    this.#onWhole = onWhole;
  }

  /** Large ones, and those of a length that nobody has said, are never whole until they are read. */
  static canWaitFor({ headers }: IncomingMessage): boolean {
    return Number(headers['content-length'] ?? 0) <= LARGEST_HELD_BYTES && !('transfer-encoding' in headers);
  }

  add(visit: Visit): void {
    this.#fresh.push(visit);
    this.#onWhole();
  }

  /** Those that are whole now, in the order in which they became so. */
  take(): Visit[] {
    const whole = this.#fresh.filter(isWhole);
    for (const visit of this.#fresh) if (!isWhole(visit)) this.#slow.add(visit);
    this.#fresh = [];
    if (this.#slow.size > 0) this.#timer ??= setTimeout(() => this.#look(), LOOK_EVERY_MS);
    return whole;
  }

  #look(): void {
    this.#timer = undefined;
    for (const visit of this.#slow) {
      const isHere = isWhole(visit);
      if (isHere || visit.request.destroyed) this.#slow.delete(visit);
      if (isHere) this.#fresh.push(visit);
    }
    this.#onWhole();
  }
}

function isWhole({ request }: Visit): boolean {
  return request.complete;
}
