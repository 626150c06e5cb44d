/** Deliveries in one turn of the event loop: about 10 ms of writes on a slow core. */
export const SLICE = 500;

/** Resolves once what else happened in this turn of the event loop has been seen to. */
export function nextTurn(): Promise<void> {
  return new Promise(setImmediate);
}
