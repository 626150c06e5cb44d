import { pbkdf2Sync, randomBytes, randomInt } from 'node:crypto';
import { html } from '../page/html.ts';
import type { ReadSecret, VotingSecret } from '../voter/voting-secret.ts';
import type { CheckSubject, HumanCheck } from './human-check.ts';

/** Long enough to read and choose; a page that stays open for longer requests a new task. */
const LIFETIME_MS = 600_000;
/** Spent proofs are remembered for longer than they are valid, because the engine's clock may be ahead. */
const MEMORY_MARGIN_MS = 300_000;

/**
 * ALTCHA's proof of work, without a third party.
 *
 * @param cost times 256 is the average number of PBKDF2 iterations
 */
export function altchaCheck(
  readSecret: ReadSecret,
  cost: number,
  clock: () => number,
  workerPath: string,
): HumanCheck {
  async function renew(subject: CheckSubject): Promise<Task> {
    const expiresAt = Math.ceil((clock() + LIFETIME_MS) / 1000);
    return issueTask(await readSecret(), subject, cost, expiresAt);
  }
  return {
    sources: [],
    scripts: [],
    renew,

    async render(subject, isOpen) {
      const task = isOpen && JSON.stringify(await renew(subject));
      return html`<div data-proof data-challenge="${task}" data-lifetime-ms="${LIFETIME_MS}" data-worker="${workerPath}" data-renew="/${subject.pollId}/challenge">
<input type="hidden" name="proof" value="">
<p class="check" aria-live="polite" data-proof-state></p>
</div>`;
    },

    async verify({ fields, pollId, voter }) {
      const answer = fields['proof'];
      if (answer === undefined || answer === '') return { outcome: 'missing' };
      const solved = readSolvedTask(answer);
      if (solved?.challenge.parameters.data.poll !== pollId) return { outcome: 'failed' };
      const { parameters, signature } = solved.challenge;
      const signed = [JSON.stringify(parameters), voter, solved.solution.derivedKey];
      if (!(await readSecret()).isHash(signature, 'challenge', ...signed)) return { outcome: 'failed' };
      const { nonce, expiresAt } = parameters;
      if (expiresAt * 1000 <= clock()) return { outcome: 'expired' };
      const proof = { id: nonce, expiresAtMs: expiresAt * 1000 + MEMORY_MARGIN_MS };
      return { outcome: 'passed', proof, ofVoter: true };
    },
  };
}

/**
 * A task for ALTCHA's solvers. It is issued and checked here in a tenth of the time of ALTCHA's
 * library: see README.md.
 */
type Task = ReturnType<typeof issueTask>;

interface SolvedTask {
  readonly challenge: Task;
  readonly solution: { readonly derivedKey: string };
}

const ITERATIONS_PER_COST = 256;
/**
 * Splits the work into more, cheaper tries, of which the server derives one. More tries cost
 * browsers more calls than work.
 */
const TRIES_PER_COST = 4;
const KEY_BYTES = 32;
const NONCE_BYTES = 16;
const COUNTER_BYTES = 4;
const MAX_LENGTH = 4_000;

/** A task takes between 0.5 and 1.5 times `256 * cost` iterations. @param expiresAt UNIX time in seconds */
export function issueTask(
  secret: VotingSecret,
  { pollId, voter }: CheckSubject,
  cost: number,
  expiresAt: number,
) {
  const iterations = Math.max(1, Math.round(cost / TRIES_PER_COST));
  const tries = (cost * ITERATIONS_PER_COST) / iterations;
  const password = randomBytes(NONCE_BYTES + COUNTER_BYTES);
  const salt = randomBytes(NONCE_BYTES);
  password.writeUInt32BE(randomInt(Math.floor(tries / 2), Math.ceil(tries * 1.5)), NONCE_BYTES);
  // Synchronous: handing it to another thread takes longer.
  const key = pbkdf2Sync(password, salt, iterations, KEY_BYTES, 'sha256').toString('hex');
  const parameters = {
    algorithm: 'PBKDF2/SHA-256',
    // For each try.
    cost: iterations,
    data: { poll: pollId },
    expiresAt,
    keyLength: KEY_BYTES,
    // Start of the key to be found. This and all below is hex.
    keyPrefix: key.slice(0, KEY_BYTES),
    nonce: password.toString('hex', 0, NONCE_BYTES),
    salt: salt.toString('hex'),
  } as const;
  // Covers the parameters, the voter and the key to be found.
  return { parameters, signature: secret.hash('challenge', JSON.stringify(parameters), voter, key) };
}

function readSolvedTask(text: unknown): SolvedTask | undefined {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return undefined;
  try {
    const { challenge, solution } = JSON.parse(text);
    const texts = [challenge.signature, challenge.parameters.data.poll, solution.derivedKey];
    return texts.every(one => typeof one === 'string') ? { challenge, solution } : undefined;
  } catch {
    return undefined;
  }
}
