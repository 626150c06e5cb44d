import { hints } from '../../metrics/catalogue.ts';
import { type Following, HINT_WINDOW_MS, type Hints } from '../hints.ts';
import { LruMap } from '../lru-map.ts';

const READY = Promise.resolve();
/** Of a poll that falls out a hint is given once more than it need be. */
const MAX_POLLS = 10_000;

/** Hints within one process: no other one may use the same data. A subscription always holds. */
export class EmbeddedHints implements Hints {
  /** Each follower is a function of its own, so that one listener may follow a topic twice. */
  readonly #followers = new Map<string, Set<() => void>>();

  /** When a ballot was last hinted at, by topic, in milliseconds of the process. */
  readonly #ballotsToldMs = new LruMap<string, number>({ entries: MAX_POLLS });

  follow(topic: string, listener: () => void): Following {
    const followers = this.#followers.get(topic) ?? new Set();
    this.#followers.set(topic, followers);
    const follower = () => listener();
    followers.add(follower);
    return {
      ready: READY,
      unfollow: () => {
        if (followers.delete(follower) && followers.size === 0) this.#followers.delete(topic);
      },
    };
  }

  /** When a ballot was last hinted at: UNIX time in milliseconds, 0 where that is not known. */
  ballotToldAtMs(topic: string): number {
    const toldMs = this.#ballotsToldMs.get(topic);
    return toldMs === undefined ? 0 : Date.now() - (performance.now() - toldMs);
  }

  async publish(topic: string): Promise<void> {
    this.tell(topic);
  }

  /** The same for a change that was just committed: at once. */
  tell(topic: string): void {
    const followers = this.#followers.get(topic);
    if (!followers) return;
    hints.value += 1;
    for (const follower of followers) follower();
  }

  /** The same for a ballot: once in a window. */
  tellOfBallot(topic: string): void {
    const nowMs = performance.now();
    const toldMs = this.#ballotsToldMs.get(topic);
    if (toldMs !== undefined && nowMs - toldMs < HINT_WINDOW_MS) return;
    this.#ballotsToldMs.set(topic, nowMs);
    this.tell(topic);
  }

  /** Nothing lies between who publishes and who hears. */
  async checkHearing(): Promise<void> {}

  /** An engine inside the process is never lost without the process. */
  onAvailability(): void {}
}
