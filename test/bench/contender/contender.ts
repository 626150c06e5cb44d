import type { Dial } from '../load/dial.ts';

/** A server that sends one poll's results to many: the relay, or an alternative. */
export interface Contender {
  readonly name: string;
  /** Why it cannot take part here, or undefined where it can. */
  findObstacle(): string | undefined;
  start(): Promise<RunningContender>;
}

export interface RunningContender {
  /** How subscribers reach it. */
  readonly dial: Dial;
  /** The processes whose CPU and memory are its own; not the engine behind it. */
  pids(): number[];
  /** Makes one update. Resolves to the version that its frames carry. */
  publish(): Promise<number>;
  /**
   * Kills it outright and starts it again on the same port, with a newer version than before;
   * resolves to that version.
   */
  restart?(): Promise<number>;
  stop(): Promise<void>;
}
