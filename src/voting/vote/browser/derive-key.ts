import { pbkdf2 } from '@noble/hashes/pbkdf2.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { ChallengeParameters, DeriveKeyFunctionResult } from 'altcha-lib';

/** PBKDF2 with HMAC-SHA-256 for browsers that offer none: on plain HTTP they keep their own to themselves. */
export async function deriveKeyHere(
  { cost, keyLength }: ChallengeParameters,
  salt: Uint8Array,
  password: Uint8Array,
): Promise<DeriveKeyFunctionResult> {
  return { derivedKey: Uint8Array.from(pbkdf2(sha256, password, salt, { c: cost, dkLen: keyLength })) };
}
