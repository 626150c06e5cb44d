/** Time and chance, so that a test can decide both. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** 0 up to, but without, 1. */
  random(): number;
  /** Calls back once. @returns cancels */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  random: () => Math.random(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
