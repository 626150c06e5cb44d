import { isEngineUnavailable } from '../poll/poll-error.ts';

/** Runs what is done under one name one after the other, in this process. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * @returns what `act` returns, once those before it have ended. If the engine is unavailable, all
   *   that wait fail with the first
   */
  async take<T>(name: string, act: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(name) ?? Promise.resolve()).then(act, (error: unknown) => {
      if (isEngineUnavailable(error)) throw error;
      return act();
    });
    this.#last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    }
  }
}

const turns = new WeakMap<object, Turns>();

/** Returns the turns of those that write through one port of an engine, wherever they were handed it. */
export function turnsOf(port: object): Turns {
  const known = turns.get(port) ?? new Turns();
  turns.set(port, known);
  return known;
}
