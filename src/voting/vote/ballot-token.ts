import { hash, randomUUID } from 'node:crypto';
import type { VotingSecret } from '../voter/voting-secret.ts';

/**
 * The ballot id that a form carries, sealed for one poll and voter: a stranger who learns it can spend it on nothing.
 */
export function issueBallotToken(secret: VotingSecret, pollId: string, voter: string): string {
  return secret.seal('ballot', randomUUID(), pollId, voter);
}

export function readBallotToken(
  secret: VotingSecret,
  token: unknown,
  pollId: string,
  voter: string,
): string | undefined {
  return typeof token === 'string' ? secret.unseal('ballot', token, pollId, voter) : undefined;
}

/**
 * The id that the engine gets. Its answers are in it, so that only a true retry is `repeated`: somebody who goes back,
 * changes the choice and sends the same form again hands in another ballot, and is told that the first one counts.
 */
export function ballotIdOf(formId: string, answers: readonly string[]): string {
  const digest = hash('sha256', JSON.stringify([formId, ...[...answers].sort()]), 'hex');
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}
