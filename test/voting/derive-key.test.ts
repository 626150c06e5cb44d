import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { createChallenge, solveChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { describe, expect, it } from 'vitest';
import { deriveKeyHere } from '../../src/voting/vote/browser/derive-key.ts';

const parameters = (cost: number) => ({ cost, keyLength: 32 }) as Parameters<typeof deriveKeyHere>[0];

describe("the browser's own key derivation, for plain HTTP", () => {
  it.each([1, 2, 3, 100, 1_000])('gives what the standard one gives, at %i iterations', async cost => {
    for (let n = 0; n < 5; n += 1) {
      const [salt, password] = [randomBytes(16), randomBytes(20)];
      const { derivedKey } = await deriveKeyHere(parameters(cost), salt, password);
      expect(Buffer.from(derivedKey)).toEqual(pbkdf2Sync(password, salt, cost, 32, 'sha256'));
    }
  });

  it('solves what the server asks and accepts', async () => {
    const secrets = { hmacSignatureSecret: 'a', hmacKeySignatureSecret: 'b' };
    const challenge = await createChallenge({
      algorithm: 'PBKDF2/SHA-256',
      cost: 10,
      counter: 40,
      deriveKey,
      ...secrets,
    });
    const solution = await solveChallenge({ challenge, deriveKey: deriveKeyHere });
    expect(solution?.counter).toBe(40);
    const { verified } = await verifySolution({ challenge, solution: solution!, deriveKey, ...secrets });
    expect(verified).toBe(true);
  });
});
