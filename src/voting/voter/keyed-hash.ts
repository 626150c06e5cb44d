import { createHmac, hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** Of a message that fits into the scratch, however its characters are encoded. All that this server seals in good faith is shorter. */
const SHORT = 1_024;
const BYTES_PER_CHARACTER = 3;

/** A pad and a message, and a pad and a digest: of whichever key is asked at the moment. */
const inner = Buffer.alloc(BLOCK_BYTES + SHORT * BYTES_PER_CHARACTER);
const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);

/**
 * HMAC-SHA256 (RFC 2104) of one key and many short texts, from Node's one-shot hashes. A voter needs twelve: an `Hmac` of Node's
 * takes twice as long to make, and the garbage collector as long again to get rid of it.
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

  /** As base64url: 43 characters. */
  digest(text: string): string {
    if (text.length > SHORT) return createHmac('sha256', this.#key).update(text).digest('base64url');
    inner.set(this.#innerPad);
    const end = BLOCK_BYTES + inner.write(text, BLOCK_BYTES);
    outer.set(this.#outerPad);
    // As text of a byte a character: a digest in a Buffer of its own takes longer than the hash.
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'binary');
    return hash('sha256', outer, 'base64url');
  }
}

function padOf(key: Buffer, byte: number): Buffer {
  const pad = Buffer.alloc(BLOCK_BYTES, byte);
  for (const [index, own] of key.entries()) pad[index] = own ^ byte;
  return pad;
}
