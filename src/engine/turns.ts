/** Runs what is done under one name one after the other, in this process. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** @returns what `act` returns, once those before it have ended; their errors are theirs */
  async take<T>(name: string, act: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(name) ?? Promise.resolve()).then(act, act);
    this.#last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    }
  }
}
