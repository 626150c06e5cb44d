import { type Challenge, type Solution, solveChallenge } from 'altcha-lib';
import { deriveKey as deriveNatively } from 'altcha-lib/algorithms/web/pbkdf2';
import { deriveKeyHere } from './derive-key.ts';

/** Solves the human check beside the page, so that scrolling and choosing stay smooth. */

/** The browser's own cryptography runs in threads of its own: while one try is under way there, the next are prepared here. */
const TRIES_AT_A_TIME = 8;

addEventListener('message', ({ data: challenge }: MessageEvent<Challenge>) => {
  void solve(challenge).then(solution => postMessage(solution));
});

function solve(challenge: Challenge): Promise<Solution | null> {
  // On plain HTTP, as in a trial on the local network, browsers keep it to themselves.
  if (!globalThis.crypto?.subtle) return solveChallenge({ challenge, deriveKey: deriveKeyHere });
  const controller = new AbortController();
  const searches = Array.from({ length: TRIES_AT_A_TIME }, async (_, counterStart) => {
    const part = { challenge, deriveKey: deriveNatively, controller };
    const found = await solveChallenge({ ...part, counterStart, counterStep: TRIES_AT_A_TIME });
    controller.abort();
    return found;
  });
  return Promise.all(searches).then(found => found.find(Boolean) ?? null);
}
