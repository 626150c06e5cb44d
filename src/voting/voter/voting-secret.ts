import { randomBytes, timingSafeEqual } from 'node:crypto';
import { LruMap } from '../../engine/lru-map.ts';
import type { Records } from '../../engine/records.ts';
import { KeyedHash } from './keyed-hash.ts';

const RECORD = 'secret:voting';
const KNOWN_POLLS = 1_000;
const HASH_CHARACTERS = 32;

/** What is compared at the moment. */
const [given, wanted] = [Buffer.alloc(HASH_CHARACTERS), Buffer.alloc(HASH_CHARACTERS)];

/** What a hash or seal is for; part of the hash, so that a text sealed for one thing never opens another. */
export type Purpose =
  | 'account'
  | 'address'
  | 'ballot'
  | 'challenge'
  | 'comment'
  | 'create'
  | 'manage'
  | 'outcome'
  | 'poll'
  | 'receipt'
  | 'sign-in'
  | 'voter';

/** The one secret of all voting front ends on one engine, and what is derived from it. */
export class VotingSecret {
  readonly #hash: KeyedHash;
  readonly #polls = new LruMap<string, VotingSecret>({ entries: KNOWN_POLLS });

  constructor(key: Buffer) {
    this.#hash = new KeyedHash(key);
  }

  /** 192 bits, base64url: 32 characters. */
  hash(purpose: Purpose, ...parts: readonly string[]): string {
    return this.#digest(purpose, parts).slice(0, HASH_CHARACTERS);
  }

  bytes(purpose: Purpose, ...parts: readonly string[]): Buffer {
    return Buffer.from(this.#digest(purpose, parts), 'base64url');
  }

  /** A secret of its own for one poll: hashes of one poll say nothing about those of another. */
  forPoll(pollId: string): VotingSecret {
    const known = this.#polls.get(pollId);
    if (known) return known;
    const secret = new VotingSecret(this.bytes('poll', pollId));
    this.#polls.set(pollId, secret);
    return secret;
  }

  seal(purpose: Purpose, text: string, ...context: readonly string[]): string {
    return `${text}.${this.hash(purpose, text, ...context)}`;
  }

  /** The sealed text, or undefined where it was not sealed here for this purpose and context. */
  unseal(purpose: Purpose, sealed: string | undefined, ...context: readonly string[]): string | undefined {
    const dot = sealed?.lastIndexOf('.') ?? -1;
    if (sealed === undefined || dot < 0) return undefined;
    const text = sealed.slice(0, dot);
    return this.isHash(sealed.slice(dot + 1), purpose, text, ...context) ? text : undefined;
  }

  isHash(text: string, purpose: Purpose, ...parts: readonly string[]): boolean {
    // Where it has other characters than a hash, it is not written whole.
    if (text.length !== HASH_CHARACTERS || given.write(text) !== HASH_CHARACTERS) return false;
    wanted.write(this.hash(purpose, ...parts));
    return timingSafeEqual(given, wanted);
  }

  #digest(purpose: Purpose, parts: readonly string[]): string {
    return this.#hash.digest(JSON.stringify([purpose, ...parts]));
  }
}

export type ReadSecret = () => Promise<VotingSecret>;

/** Reads the secret when it is first needed and again after a failure, so that a lost engine delays no start. */
export function keepSecret(records: Records): ReadSecret {
  let reading: Promise<VotingSecret> | undefined;
  return () => {
    reading ??= readSecret(records).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

async function readSecret(records: Records): Promise<VotingSecret> {
  const kept = await records.putIfAbsent(RECORD, randomBytes(32).toString('base64url'));
  return new VotingSecret(Buffer.from(kept, 'base64url'));
}
