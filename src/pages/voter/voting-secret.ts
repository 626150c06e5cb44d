import { createHmac, type Hmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Records } from '../../engine/engine.ts';

const RECORD = 'secret:voting';
const CACHED_POLLS = 1_000;
const HASH_CHARACTERS = 32;

/** What a hash or seal is for. It is part of the hash, so a text sealed for one purpose never opens another. */
type Purpose =
  | 'account'
  | 'address'
  | 'ballot'
  | 'challenge'
  | 'chat'
  | 'comment'
  | 'create'
  | 'manage'
  | 'outcome'
  | 'poll'
  | 'receipt'
  | 'session'
  | 'sign-in'
  | 'voter';

/** The secret shared by all voting front ends on one engine, and the hashes and seals derived from it. */
export class VotingSecret {
  readonly #key: Buffer;
  /** Made on first use: it takes its memory at once, and the secret of a poll needs none. */
  #polls: LRUCache<string, VotingSecret> | undefined;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** Returns 192 bits as base64url: 32 characters. */
  hash(purpose: Purpose, ...values: readonly string[]): string {
    return this.#hmac(purpose, values).digest('base64url').slice(0, HASH_CHARACTERS);
  }

  bytes(purpose: Purpose, ...values: readonly string[]): Buffer {
    return this.#hmac(purpose, values).digest();
  }

  /** Returns the secret of one poll: its hashes reveal nothing about those of another poll. */
  forPoll(pollId: string): VotingSecret {
    this.#polls ??= new LRUCache({ max: CACHED_POLLS });
    const known = this.#polls.get(pollId);
    if (known) return known;
    const secret = new VotingSecret(this.bytes('poll', pollId));
    this.#polls.set(pollId, secret);
    return secret;
  }

  seal(purpose: Purpose, text: string, ...context: readonly string[]): string {
    return `${text}.${this.hash(purpose, text, ...context)}`;
  }

  /** Returns the sealed text, or undefined if it was not sealed with this secret for this purpose and context. */
  unseal(purpose: Purpose, sealed: string | undefined, ...context: readonly string[]): string | undefined {
    const dot = sealed?.lastIndexOf('.') ?? -1;
    if (sealed === undefined || dot < 0) return undefined;
    const text = sealed.slice(0, dot);
    return this.isHash(sealed.slice(dot + 1), purpose, text, ...context) ? text : undefined;
  }

  isHash(text: string, purpose: Purpose, ...values: readonly string[]): boolean {
    const given = Buffer.from(text);
    if (given.length !== HASH_CHARACTERS) return false;
    return timingSafeEqual(given, Buffer.from(this.hash(purpose, ...values)));
  }

  #hmac(purpose: Purpose, values: readonly string[]): Hmac {
    return createHmac('sha256', this.#key).update(JSON.stringify([purpose, ...values]));
  }
}

export type ReadSecret = () => Promise<VotingSecret>;

/**
 * Returns a function that reads the secret on first use and again after a failure, so a lost engine
 * delays no start.
 */
export function lazySecret(records: Records): ReadSecret {
  let reading: Promise<VotingSecret> | undefined;
  return () => {
    reading ??= records
      .putIfAbsent(RECORD, randomBytes(32).toString('base64url'))
      .then(stored => new VotingSecret(Buffer.from(stored, 'base64url')))
      .catch((error: unknown) => {
        reading = undefined;
        throw error;
      });
    return reading;
  };
}
