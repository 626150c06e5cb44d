import { pbkdf2Sync, randomInt } from 'node:crypto';
import type { CheckSubject } from '../guard/human-check.ts';
import { drawBytes } from '../voter/random-bytes.ts';
import type { VotingSecret } from '../voter/voting-secret.ts';

/**
 * Tasks that ALTCHA's solvers solve. They are issued and checked here, not by its library, which takes ten times as long:
 * README.md has the figures.
 */
export interface Task {
  readonly parameters: {
    readonly algorithm: typeof ALGORITHM;
    /** PBKDF2 iterations of one try. */
    readonly cost: number;
    readonly data: { readonly poll: string };
    /** UNIX time in seconds. */
    readonly expiresAt: number;
    /** Bytes. */
    readonly keyLength: number;
    /** What the key of the right try begins with. This and all below is hex. */
    readonly keyPrefix: string;
    readonly nonce: string;
    readonly salt: string;
  };
  /** Of the parameters, the voter and the key that is to be found: whoever shows that key as well has found it. */
  readonly signature: string;
}

export interface SolvedTask {
  readonly challenge: Task;
  readonly solution: { readonly derivedKey: string };
}

/** Iterations on average for each unit of cost. */
const ITERATIONS_A_UNIT = 256;
/** A try of so small a part of the cost is cheap to set; with a smaller one browsers would spend more on calls than on tries. */
const TRIES_A_COST = 4;
const ALGORITHM = 'PBKDF2/SHA-256';
const KEY_BYTES = 32;
const NONCE_BYTES = 16;
const COUNTER_BYTES = 4;
const MAX_LENGTH = 4_000;

/**
 * @param cost 256 times so many iterations are needed on average: half of it at least, half more at most
 * @param expiresAt UNIX time in seconds
 */
export function issueTask(
  secret: VotingSecret,
  { pollId, voter }: CheckSubject,
  cost: number,
  expiresAt: number,
): Task {
  const iterations = Math.max(1, Math.round(cost / TRIES_A_COST));
  const tries = (cost * ITERATIONS_A_UNIT) / iterations;
  const [password, salt] = [drawBytes(NONCE_BYTES + COUNTER_BYTES), drawBytes(NONCE_BYTES)];
  password.writeUInt32BE(randomInt(Math.floor(tries / 2), Math.ceil(tries * 1.5)), NONCE_BYTES);
  // In this thread: it takes less time than to hand it to another.
  const key = pbkdf2Sync(password, salt, iterations, KEY_BYTES, 'sha256').toString('hex');
  const parameters = {
    algorithm: ALGORITHM,
    cost: iterations,
    data: { poll: pollId },
    expiresAt,
    keyLength: KEY_BYTES,
    keyPrefix: key.slice(0, KEY_BYTES),
    nonce: password.toString('hex', 0, NONCE_BYTES),
    salt: salt.toString('hex'),
  } as const;
  return { parameters, signature: secret.hash('challenge', JSON.stringify(parameters), voter, key) };
}

/** Whether it was issued here for this poll and voter, as it stands, and is solved. */
export function isSolution(
  secret: VotingSecret,
  { pollId, voter }: CheckSubject,
  { challenge: { parameters, signature }, solution: { derivedKey } }: SolvedTask,
): boolean {
  return (
    parameters.data.poll === pollId &&
    secret.isHash(signature, 'challenge', JSON.stringify(parameters), voter, derivedKey)
  );
}

/** What a form carried: in the right shape, and nothing more is known of it. */
export function readSolvedTask(text: unknown): SolvedTask | undefined {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return undefined;
  try {
    const { challenge, solution } = JSON.parse(text);
    const texts = [challenge.signature, challenge.parameters.data.poll, solution.derivedKey];
    return texts.every(one => typeof one === 'string') ? { challenge, solution } : undefined;
  } catch {
    return undefined;
  }
}
