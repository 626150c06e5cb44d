import { pbkdf2 } from '@noble/hashes/pbkdf2.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type Challenge, type DeriveKeyFunction, type Solution, solveChallenge } from 'altcha-lib';
import { deriveKey as deriveNatively } from 'altcha-lib/algorithms/web/pbkdf2';

/** Solves the human check in a worker, so that the page stays responsive. */

/** Browsers derive keys in threads of their own, so several tries run at a time. */
const CONCURRENT_TRIES = 8;

addEventListener('message', ({ data: challenge }: MessageEvent<Challenge>) => {
  void solve(challenge).then(solution => postMessage(solution));
});

const solveInScript = (challenge: Challenge) => solveChallenge({ challenge, deriveKey: deriveInScript });

function solve(challenge: Challenge): Promise<Solution | null> {
  // On plain HTTP, as in a trial on the local network, browsers offer no cryptography.
  if (!globalThis.crypto?.subtle) return solveInScript(challenge);
  const controller = new AbortController();
  const searches = Array.from({ length: CONCURRENT_TRIES }, async (_, counterStart) => {
    const options = { challenge, deriveKey: deriveNatively, controller };
    const found = await solveChallenge({ ...options, counterStart, counterStep: CONCURRENT_TRIES });
    controller.abort();
    return found;
  });
  // Some privacy extensions refuse what they leave in place.
  return Promise.all(searches).then(
    found => found.find(Boolean) ?? null,
    () => solveInScript(challenge),
  );
}

const deriveInScript: DeriveKeyFunction = async ({ cost, keyLength }, salt, password) => ({
  derivedKey: Uint8Array.from(pbkdf2(sha256, password, salt, { c: cost, dkLen: keyLength })),
});
