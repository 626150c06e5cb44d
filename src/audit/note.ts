import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { HASH_BYTES, type Hash } from './merkle.ts';

/** Checkpoints as C2SP tlog-checkpoint, signed as C2SP signed-note with Ed25519. */

const ED25519 = Uint8Array.of(1);
const KEY_ID_BYTES = 4;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

export interface Checkpoint {
  /** Identifies the log. Also the name of its key. */
  readonly origin: string;
  /** Entries in the log. */
  readonly size: number;
  readonly root: Hash;
}

/** Returns a new private key as PKCS #8 in PEM. */
export function createLogKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Signs checkpoints with the key of a server. */
export class CheckpointSigner {
  readonly #privateKey: KeyObject;
  readonly #publicBytes: Buffer;

  /** @param pem from `createLogKey` */
  constructor(pem: string) {
    this.#privateKey = createPrivateKey(pem);
    this.#publicBytes = rawBytesOf(createPublicKey(this.#privateKey));
  }

  /** Returns the key of a log as verifiers take it: `<origin>+<key id>+<key>`. */
  verifierKey(origin: string): string {
    return verifierKeyOf(origin, this.#publicBytes);
  }

  /** Returns the signed note. */
  sign({ origin, size, root }: Checkpoint): string {
    const text = `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
    const signature = sign(null, Buffer.from(text), this.#privateKey);
    const signed = Buffer.concat([keyIdOf(origin, this.#publicBytes), signature]);
    return `${text}\n— ${origin} ${signed.toString('base64')}\n`;
  }
}

/**
 * Returns a checkpoint whose signature is valid. Skips lines of other keys, as witnesses add them.
 *
 * @param verifierKey `<origin>+<key id>+<key>`
 * @throws Error that says what is wrong with the note or the key
 */
export function openCheckpoint(note: string, verifierKey: string): Checkpoint {
  const { name, publicBytes } = parseVerifierKey(verifierKey);
  const end = note.lastIndexOf('\n\n') + 1;
  const text = note.slice(0, end);
  const [origin, size, root, ...rest] = text.split('\n');
  if (end === 0 || origin === undefined || root === undefined || rest.length === 0)
    throw new Error('The checkpoint is not a signed note');
  if (origin !== name) throw new Error(`The checkpoint is of the log ${origin}, not of ${name}`);
  const keyId = keyIdOf(name, publicBytes);
  const signature = note
    .slice(end + 1)
    .split('\n')
    .filter(line => line.startsWith(`— ${name} `))
    .map(line => Buffer.from(line.slice(`— ${name} `.length), 'base64'))
    .find(bytes => bytes.subarray(0, KEY_ID_BYTES).equals(keyId));
  const isSigned =
    signature?.length === KEY_ID_BYTES + SIGNATURE_BYTES &&
    verify(null, Buffer.from(text), publicKeyOf(publicBytes), signature.subarray(KEY_ID_BYTES));
  if (!isSigned) throw new Error('The signature of the checkpoint is not valid');
  const rootBytes = Buffer.from(root, 'base64');
  if (!/^(0|[1-9]\d{0,14})$/.test(size!) || rootBytes.length !== HASH_BYTES)
    throw new Error('The checkpoint has no valid size or root');
  return { origin, size: Number(size), root: rootBytes };
}

/** Returns the same key under the origin of another log of the server. @throws Error if the key is not valid */
export function renameVerifierKey(verifierKey: string, origin: string): string {
  return verifierKeyOf(origin, parseVerifierKey(verifierKey).publicBytes);
}

function verifierKeyOf(origin: string, publicBytes: Uint8Array): string {
  const key = Buffer.concat([ED25519, publicBytes]).toString('base64');
  return `${origin}+${keyIdOf(origin, publicBytes).toString('hex')}+${key}`;
}

function parseVerifierKey(verifierKey: string): { name: string; publicBytes: Buffer } {
  const [name, id, key = ''] = splitKey(verifierKey);
  const bytes = Buffer.from(key, 'base64');
  const publicBytes = bytes.subarray(1);
  const isValid =
    name !== '' &&
    bytes[0] === 1 &&
    publicBytes.length === KEY_BYTES &&
    keyIdOf(name!, publicBytes).toString('hex') === id;
  if (!isValid) throw new Error('The key of the log is not a valid Ed25519 verifier key');
  return { name: name!, publicBytes };
}

/** The key itself may contain a plus. */
function splitKey(verifierKey: string): string[] {
  const [name = '', id = '', ...key] = verifierKey.split('+');
  return [name, id, key.join('+')];
}

function keyIdOf(name: string, publicBytes: Uint8Array): Buffer {
  const named = Buffer.from(`${name}\n`);
  return hash('sha256', Buffer.concat([named, ED25519, publicBytes]), 'buffer').subarray(0, KEY_ID_BYTES);
}

function publicKeyOf(bytes: Buffer): KeyObject {
  return createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
    format: 'jwk',
  });
}

function rawBytesOf(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url');
}
