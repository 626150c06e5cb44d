import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
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
  | 'comment'
  | 'create'
  | 'manage'
  | 'outcome'
  | 'poll'
  | 'receipt'
  | 'sign-in'
  | 'voter';

/** The secret shared by all voting front ends on one engine, and the hashes and seals derived from it. */
export class VotingSecret {
  readonly #hash: KeyedHash;
  /** Made on first use: it takes its memory at once, and the secret of a poll needs none. */
  #polls: LRUCache<string, VotingSecret> | undefined;

  constructor(key: Buffer) {
    this.#hash = new KeyedHash(key);
  }

  /** Returns 192 bits as base64url: 32 characters. */
  hash(purpose: Purpose, ...values: readonly string[]): string {
    return this.#digest(purpose, values).slice(0, HASH_CHARACTERS);
  }

  bytes(purpose: Purpose, ...values: readonly string[]): Buffer {
    return Buffer.from(this.#digest(purpose, values), 'base64url');
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

  #digest(purpose: Purpose, values: readonly string[]): string {
    return this.#hash.digest(JSON.stringify([purpose, ...values]));
  }
}

export type ReadSecret = () => Promise<VotingSecret>;

/** Returns a function that reads the secret on first use and again after a failure, so a lost engine delays no start. */
export function lazySecret(records: Records): ReadSecret {
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
  const stored = await records.putIfAbsent(RECORD, randomBytes(32).toString('base64url'));
  return new VotingSecret(Buffer.from(stored, 'base64url'));
}

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** Longest message that fits into the scratch buffer in any encoding. */
const SHORT_CHARACTERS = 1_024;
const BYTES_PER_CHARACTER = 3;

/** Scratch buffers of all keys: a pad and the message, a pad and the inner digest. */
const inner = Buffer.alloc(BLOCK_BYTES + SHORT_CHARACTERS * BYTES_PER_CHARACTER);
const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);

/**
 * HMAC-SHA256 (RFC 2104) from Node's one-shot hashes, for one key and many short texts. Each voter needs thirteen, and Node's
 * `Hmac` objects take twice as long, plus as long again in garbage collection.
 */
export class KeyedHash {
  readonly #key: Buffer;
  readonly #innerPad: Buffer;
  readonly #outerPad: Buffer;

  /** @param key at most 64 bytes */
  constructor(key: Buffer) {
    if (key.length > BLOCK_BYTES) throw new RangeError(`A key has at most ${BLOCK_BYTES} bytes`);
    this.#key = key;
    this.#innerPad = padOf(key, INNER_PAD);
    this.#outerPad = padOf(key, OUTER_PAD);
  }

  digest(text: string): string {
    if (text.length > SHORT_CHARACTERS)
      return createHmac('sha256', this.#key).update(text).digest('base64url');
    inner.set(this.#innerPad);
    const end = BLOCK_BYTES + inner.write(text, BLOCK_BYTES);
    outer.set(this.#outerPad);
    // As binary text: a digest in a new Buffer takes longer than the hash itself.
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'binary');
    return hash('sha256', outer, 'base64url');
  }
}

function padOf(key: Buffer, byte: number): Buffer {
  const pad = Buffer.alloc(BLOCK_BYTES, byte);
  for (const [index, keyByte] of key.entries()) pad[index] = keyByte ^ byte;
  return pad;
}
