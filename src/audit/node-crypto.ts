import { createPublicKey, hash, verify } from 'node:crypto';
import { LogHashes } from './merkle.ts';
import type { LogCrypto } from './note.ts';

/** What the log takes from Node.js: for servers and terminals. */
export const nodeCrypto: LogCrypto = {
  sha256: (...parts) => hash('sha256', Buffer.concat(parts), 'buffer'),
  verifyEd25519(signature, text, publicKey) {
    const key = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
    return verify(null, text, createPublicKey({ key, format: 'jwk' }), signature);
  },
};

export const logHashes = new LogHashes(nodeCrypto.sha256);
