import type { PollOwner } from '../poll/poll.ts';

/** The keys of shows. SHA-256, hex; undefined where the show is gone, or its name belongs to another show now. */
export interface ShowKeys {
  findKey(owner: PollOwner): Promise<string | undefined>;
  /** Calls the listener now and on each change. @returns ends it */
  followKey(owner: PollOwner, listener: (keyHash: string | undefined) => void): () => void;
}

/** The key of the show that owns a poll. Costs nothing until a subscription presents a key. */
export class ShowKey {
  readonly #keys: ShowKeys;
  readonly #onChange: () => void;
  #hash: string | undefined;
  #isKnown = false;
  #unfollow: (() => void) | undefined;

  /** @param onChange another key opens the poll now, or none */
  constructor(keys: ShowKeys, onChange: () => void) {
    this.#keys = keys;
    this.#onChange = onChange;
  }

  get hash(): string | undefined {
    return this.#hash;
  }

  /** Resolves once the key is known. @throws PollError `engine_unavailable` */
  async load(owner: PollOwner): Promise<void> {
    this.#unfollow ??= this.#keys.followKey(owner, hash => this.#set(hash));
    if (this.#isKnown) return;
    const hash = await this.#keys.findKey(owner);
    // The listener may have been called first, and is as new.
    if (!this.#isKnown) this.#set(hash);
  }

  close(): void {
    this.#unfollow?.();
  }

  #set(hash: string | undefined): void {
    const hasChanged = this.#isKnown && hash !== this.#hash;
    this.#isKnown = true;
    this.#hash = hash;
    if (hasChanged) this.#onChange();
  }
}
