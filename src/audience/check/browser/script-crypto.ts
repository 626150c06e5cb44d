import { hashes, verify } from '@noble/ed25519';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { concat } from '../../../audit/bytes.ts';
import type { LogCrypto } from '../../../audit/note.ts';

hashes.sha512 = sha512;

/**
 * In script: browsers offer no cryptography on plain HTTP, and older ones no Ed25519. A hash takes
 * a tenth of WebCrypto's time.
 */
export const scriptCrypto: LogCrypto = {
  sha256: (...parts) => sha256(concat(...parts)),
  verifyEd25519: (signature, text, publicKey) => verify(signature, text, publicKey, { zip215: false }),
};
