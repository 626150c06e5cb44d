import type { Following, Hints } from '../hints.ts';

const READY = Promise.resolve();

/** Hints within one process: no other one may use the same data. A subscription always holds. */
export class EmbeddedHints implements Hints {
  /** Each follower is a function of its own, so that one listener may follow a topic twice. */
  readonly #followers = new Map<string, Set<() => void>>();

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

  async publish(topic: string): Promise<void> {
    this.tell(topic);
  }

  /** The same for a change that was just committed: at once. */
  tell(topic: string): void {
    const followers = this.#followers.get(topic);
    if (followers) for (const follower of followers) follower();
  }

  /** Nothing lies between who publishes and who hears. */
  async checkHearing(): Promise<void> {}

  /** An engine inside the process is never lost without the process. */
  onAvailability(): void {}
}
