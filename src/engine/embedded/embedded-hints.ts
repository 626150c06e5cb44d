import { LRUCache } from 'lru-cache';
import { hints } from '../../metrics/catalogue.ts';
import { type Following, HINT_WINDOW_MS, type Hints } from '../engine.ts';

const READY = Promise.resolve();
/** An evicted poll hints once more than necessary. */
const MAX_POLLS = 10_000;

export class EmbeddedHints implements Hints {
  /** Each follower is a function of its own, so that one listener may follow a topic twice. */
  readonly #followers = new Map<string, Set<() => void>>();

  readonly #hintedMs = new LRUCache<string, number>({ max: MAX_POLLS });

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

  /** UNIX time in milliseconds of the last hint for a ballot, 0 if unknown. */
  hintedAtMs(topic: string): number {
    const hintedMs = this.#hintedMs.get(topic);
    return hintedMs === undefined ? 0 : Date.now() - (performance.now() - hintedMs);
  }

  async publish(topic: string): Promise<void> {
    this.send(topic);
  }

  send(topic: string): void {
    const followers = this.#followers.get(topic);
    if (!followers) return;
    hints.value += 1;
    for (const follower of followers) follower();
  }

  sendForBallot(topic: string): void {
    const nowMs = performance.now();
    const hintedMs = this.#hintedMs.get(topic);
    if (hintedMs !== undefined && nowMs - hintedMs < HINT_WINDOW_MS) return;
    this.#hintedMs.set(topic, nowMs);
    this.send(topic);
  }

  async checkDelivery(): Promise<void> {}

  onAvailability(): void {}
}
