import type { FastifyRequest } from 'fastify';
import { PollError } from '../poll/poll-error.ts';
import { callerAddress } from './caller.ts';

/**
 * A line for each address. Addresses take turns, so that a long line of one delays no other by more
 * than one item. Where items are charged, turns are of equal cost: an address that has used more
 * waits until the others have used as much, also those that come later.
 */
export class FairLines<Item> {
  /** The address at the front is next among those of equal cost. */
  readonly #lines = new Map<string, Item[]>();
  /** What an address has used beyond the one that took its turn last. */
  readonly #used = new Map<string, number>();

  /** Items of one address. */
  of(address: string): readonly Item[] {
    return this.#lines.get(address) ?? [];
  }

  add(address: string, item: Item): void {
    const line = this.#lines.get(address);
    if (line) line.push(item);
    else this.#lines.set(address, [item]);
  }

  /** @param cost of an item that was taken, such as milliseconds of work */
  charge(address: string, cost: number): void {
    this.#used.set(address, (this.#used.get(address) ?? 0) + cost);
  }

  /** @param cost that all could have used, such as milliseconds without work */
  forgive(cost: number): void {
    for (const [address, used] of this.#used)
      if (used > cost) this.#used.set(address, used - cost);
      else this.#used.delete(address);
  }

  /** Takes one item of the address that has used least, which goes to the back. */
  take(): Item | undefined {
    let [address] = this.#lines.keys();
    if (address === undefined) return undefined;
    if (this.#used.size > 0) {
      const usedBy = (one: string) => this.#used.get(one) ?? 0;
      for (const other of this.#lines.keys()) if (usedBy(other) < usedBy(address)) address = other;
      this.forgive(usedBy(address));
    }
    const line = this.#lines.get(address)!;
    this.#lines.delete(address);
    const item = line.shift();
    if (line.length > 0) this.#lines.set(address, line);
    return item;
  }
}

interface Waiting {
  readonly request: FastifyRequest;
  begin(): void;
  fail(error: Error): void;
}

/** Starts one piece of expensive work in each turn of the event loop, for each address in turn. */
export class FairTurns {
  readonly #waiting = new FairLines<Waiting>();
  #isTaken = false;

  /**
   * Resolves when the caller may work for a few milliseconds. Bounded by the connections of the server.
   *
   * @throws PollError `request_expired` if the reader is gone
   */
  async take(request: FastifyRequest): Promise<void> {
    if (this.#isTaken)
      return new Promise((begin, fail) => {
        this.#waiting.add(callerAddress(request), { request, begin, fail });
      });
    this.#isTaken = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    let next = this.#waiting.take();
    for (; next?.request.raw.socket.destroyed; next = this.#waiting.take())
      next.fail(new PollError('request_expired'));
    if (next) {
      next.begin();
      setImmediate(() => this.#next());
    } else this.#isTaken = false;
  }
}
