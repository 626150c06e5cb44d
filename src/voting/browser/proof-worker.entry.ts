import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey as deriveNatively } from 'altcha-lib/algorithms/web/pbkdf2';
import { deriveKeyHere } from './derive-key.ts';

/** Solves the human check beside the page, so that scrolling and choosing stay smooth. */

// On plain HTTP, as in a trial on the local network, browsers keep their own cryptography to themselves.
const deriveKey = globalThis.crypto?.subtle ? deriveNatively : deriveKeyHere;

addEventListener('message', ({ data: challenge }: MessageEvent<Challenge>) => {
  void solveChallenge({ challenge, deriveKey }).then(solution => postMessage(solution));
});
