import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { nodeCrypto } from './node-crypto.ts';
import { type Checkpoint, keyIdOf, verifierKeyOf } from './note.ts';

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
    const { x } = createPublicKey(this.#privateKey).export({ format: 'jwk' });
    this.#publicBytes = Buffer.from(x!, 'base64url');
  }

  /** Returns the key of a log as verifiers take it: `<origin>+<key id>+<key>`. */
  verifierKey(origin: string): string {
    return verifierKeyOf(nodeCrypto, origin, this.#publicBytes);
  }

  /** Returns the signed note. */
  sign({ origin, size, root }: Checkpoint): string {
    const text = `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
    const signature = sign(null, Buffer.from(text), this.#privateKey);
    const signed = Buffer.concat([keyIdOf(nodeCrypto, origin, this.#publicBytes), signature]);
    return `${text}\n— ${origin} ${signed.toString('base64')}\n`;
  }
}
