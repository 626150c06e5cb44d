import { areEqual, concat, fromBase64, toBase64, toHex, utf8 } from './bytes.ts';
import { HASH_BYTES, type Hash, type Sha256 } from './merkle.ts';

/** Checkpoints as C2SP tlog-checkpoint, signed as C2SP signed-note with Ed25519. For servers, terminals and pages. */

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

/** What a verifier takes from its runtime. */
export interface LogCrypto {
  readonly sha256: Sha256;
  /** @param signature of 64 bytes @param publicKey of 32 bytes */
  verifyEd25519(signature: Uint8Array, text: Uint8Array, publicKey: Uint8Array): boolean;
}

/**
 * Returns a checkpoint whose signature is valid. Skips lines of other keys, as witnesses add them.
 *
 * @param verifierKey `<origin>+<key id>+<key>`
 * @throws Error that says what is wrong with the note or the key
 */
export function openCheckpoint(crypto: LogCrypto, note: string, verifierKey: string): Checkpoint {
  const { name, publicBytes } = parseVerifierKey(crypto, verifierKey);
  const end = note.lastIndexOf('\n\n') + 1;
  const text = note.slice(0, end);
  const [origin, size, root, ...rest] = text.split('\n');
  if (end === 0 || origin === undefined || root === undefined || rest.length === 0)
    throw new Error('The checkpoint is not a signed note');
  if (origin !== name) throw new Error(`The checkpoint is of the log ${origin}, not of ${name}`);
  const keyId = keyIdOf(crypto, name, publicBytes);
  const signature = note
    .slice(end + 1)
    .split('\n')
    .filter(line => line.startsWith(`— ${name} `))
    .map(line => fromBase64(line.slice(`— ${name} `.length)))
    .find(bytes => areEqual(bytes.subarray(0, KEY_ID_BYTES), keyId));
  const isSigned =
    signature?.length === KEY_ID_BYTES + SIGNATURE_BYTES &&
    crypto.verifyEd25519(signature.subarray(KEY_ID_BYTES), utf8(text), publicBytes);
  if (!isSigned) throw new Error('The signature of the checkpoint is not valid');
  const rootBytes = fromBase64(root);
  if (!/^(0|[1-9]\d{0,14})$/.test(size!) || rootBytes.length !== HASH_BYTES)
    throw new Error('The checkpoint has no valid size or root');
  return { origin, size: Number(size), root: rootBytes };
}

/** Returns the same key under the origin of another log of the server. @throws Error if the key is not valid */
export function renameVerifierKey(crypto: LogCrypto, verifierKey: string, origin: string): string {
  return verifierKeyOf(crypto, origin, parseVerifierKey(crypto, verifierKey).publicBytes);
}

/** Returns `<origin>+<key id>+<key>`. @param publicBytes of the Ed25519 key */
export function verifierKeyOf(crypto: LogCrypto, origin: string, publicBytes: Uint8Array): string {
  const key = toBase64(concat(ED25519, publicBytes));
  return `${origin}+${toHex(keyIdOf(crypto, origin, publicBytes))}+${key}`;
}

/** Returns the 4 bytes before a signature, which tell the keys of a name apart. */
export function keyIdOf({ sha256 }: LogCrypto, name: string, publicBytes: Uint8Array): Uint8Array {
  return sha256(utf8(`${name}\n`), ED25519, publicBytes).subarray(0, KEY_ID_BYTES);
}

function parseVerifierKey(
  crypto: LogCrypto,
  verifierKey: string,
): { readonly name: string; readonly publicBytes: Uint8Array } {
  // The key itself may contain a plus.
  const [, name = '', id, key = ''] = /^(.+?)\+([0-9a-f]{8})\+(.+)$/.exec(verifierKey) ?? [];
  const bytes = fromBase64(key);
  const publicBytes = bytes.subarray(1);
  const isValid =
    name !== '' &&
    bytes[0] === ED25519[0] &&
    publicBytes.length === KEY_BYTES &&
    toHex(keyIdOf(crypto, name, publicBytes)) === id;
  if (!isValid) throw new Error('The key of the log is not a valid Ed25519 verifier key');
  return { name, publicBytes };
}
