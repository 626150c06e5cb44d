import type { PollOwner } from '../poll/poll.ts';

/** Where the keys of shows are known. SHA-256, hex; undefined where the show is gone, or its name is somebody else's. */
export interface OwnerKeys {
  findKey(owner: PollOwner): Promise<string | undefined>;
  /** Tells it now and on each change. @returns stops the telling */
  followKey(owner: PollOwner, listener: (keyHash: string | undefined) => void): () => void;
}

/** The key of the show that owns a poll. It costs nothing until somebody comes to the poll with a key. */
export class OwnerKey {
  readonly #keys: OwnerKeys;
  readonly #onChange: () => void;
  #hash: string | undefined;
  #isKnown = false;
  #unfollow: (() => void) | undefined;

  /** @param onChange another key opens the poll now, or none */
  constructor(keys: OwnerKeys, onChange: () => void) {
    this.#keys = keys;
    this.#onChange = onChange;
  }

  get hash(): string | undefined {
    return this.#hash;
  }

  /** Resolves once the key is known. @throws PollError `engine_unavailable` */
  async learn(owner: PollOwner): Promise<void> {
    this.#unfollow ??= this.#keys.followKey(owner, hash => this.#take(hash));
    if (this.#isKnown) return;
    const hash = await this.#keys.findKey(owner);
    // What is followed may have come first, and is as new.
    if (!this.#isKnown) this.#take(hash);
  }

  close(): void {
    this.#unfollow?.();
  }

  #take(hash: string | undefined): void {
    const isNews = this.#isKnown && hash !== this.#hash;
    this.#isKnown = true;
    this.#hash = hash;
    if (isNews) this.#onChange();
  }
}
