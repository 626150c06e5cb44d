import { isEngineUnavailable } from '../poll/poll-error.ts';

const lastOf = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Runs what is done under one name one after the other, in this process.
 *
 * @param port of an engine; those that write through it take turns, wherever they were handed it
 * @returns what `act` returns, once those before it have ended. If the engine is unavailable, all
 *   that wait fail with the first
 */
export async function takeTurn<T>(port: object, name: string, act: () => Promise<T>): Promise<T> {
  const last = lastOf.get(port) ?? new Map<string, Promise<unknown>>();
  lastOf.set(port, last);
  const mine = (last.get(name) ?? Promise.resolve()).then(act, (error: unknown) => {
    if (isEngineUnavailable(error)) throw error;
    return act();
  });
  last.set(name, mine);
  try {
    return await mine;
  } finally {
    if (last.get(name) === mine) last.delete(name);
  }
}
