import type { ChallengeParameters, DeriveKeyFunctionResult } from 'altcha-lib';

/** PBKDF2 with HMAC-SHA-256 (RFC 8018, RFC 2104, FIPS 180-4) for browsers that offer none. */

const ROUNDS = constants();

/** One block of 32 bytes, which is as long as our keys are. */
export async function deriveKeyHere(
  { cost, keyLength }: ChallengeParameters,
  salt: Uint8Array,
  password: Uint8Array,
): Promise<DeriveKeyFunctionResult> {
  const inner = keyState(password, 0x36);
  const outer = keyState(password, 0x5c);
  const block = new Uint8Array(salt.length + 4);
  block.set(salt);
  block[block.length - 1] = 1;
  let digest = hmac(inner, outer, padded(block));
  const key = digest.slice();
  const next = new Uint32Array(16);
  next[8] = 0x80000000;
  next[15] = (64 + 32) * 8;
  for (let i = 1; i < cost; i += 1) {
    next.set(digest);
    digest = hmac(inner, outer, [next]);
    for (let word = 0; word < 8; word += 1) key[word]! ^= digest[word]!;
  }
  return { derivedKey: toBytes(key).slice(0, keyLength) };
}

/** The state of the hash after the key's own block: computed once instead of once a round. */
function keyState(password: Uint8Array, pad: number): Uint32Array {
  const block = new Uint8Array(64);
  block.set(password);
  for (let i = 0; i < 64; i += 1) block[i]! ^= pad;
  return compress(start(), toWords(block));
}

function hmac(inner: Uint32Array, outer: Uint32Array, blocks: Uint32Array[]): Uint32Array {
  let state = inner;
  for (const block of blocks) state = compress(state, block);
  const last = new Uint32Array(16);
  last.set(state);
  last[8] = 0x80000000;
  last[15] = (64 + 32) * 8;
  return compress(outer, last);
}

/** Blocks of a message that follows one block of key. */
function padded(message: Uint8Array): Uint32Array[] {
  const length = Math.ceil((message.length + 9) / 64) * 64;
  const bytes = new Uint8Array(length);
  bytes.set(message);
  bytes[message.length] = 0x80;
  new DataView(bytes.buffer).setUint32(length - 4, (64 + message.length) * 8);
  return Array.from({ length: length / 64 }, (_, i) => toWords(bytes.subarray(i * 64, i * 64 + 64)));
}

const schedule = new Uint32Array(64);

function compress(state: Uint32Array, block: Uint32Array): Uint32Array {
  const w = schedule;
  w.set(block);
  for (let i = 16; i < 64; i += 1) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let i = 0; i < 64; i += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUNDS.k[i]! + w[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  const next = new Uint32Array([a, b, c, d, e, f, g, h]);
  for (let i = 0; i < 8; i += 1) next[i]! += state[i]!;
  return next;
}

function start(): Uint32Array {
  return ROUNDS.start;
}

/** The first 32 bits of the fractions of the roots of the first primes, as the standard defines its constants. */
function constants(): { start: Uint32Array; k: Uint32Array } {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n += 1) if (primes.every(prime => n % prime !== 0)) primes.push(n);
  const fraction = (root: number) => Math.floor((root - Math.floor(root)) * 2 ** 32);
  return {
    start: new Uint32Array(primes.slice(0, 8).map(prime => fraction(Math.sqrt(prime)))),
    k: new Uint32Array(primes.map(prime => fraction(Math.cbrt(prime)))),
  };
}

function toWords(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(i * 4));
}

function toBytes(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [i, word] of words.entries()) view.setUint32(i * 4, word);
  return bytes;
}
