import type { BallotProof } from '../../audit/verify-log.ts';
import type { Catalogue } from '../../locales/catalogues.ts';
import type { AnswerId } from '../../poll/poll.ts';

/** The reply of `POST /<poll>/check`, and what a voter is told about it. For the server and for browsers. */

export type CheckReply =
  | { readonly found: false }
  /** Tells nothing that depends on other ballots: no sequence, no log. */
  | ({ readonly found: true; readonly answers: readonly AnswerId[]; readonly hidden: true } & Later)
  | LoggedVote
  /** The log does not contain it yet. */
  | Omit<LoggedVote, 'path' | 'checkpoint' | 'key'>;

interface Later {
  /** The voter has changed it later. */
  readonly changed?: true;
}

export interface LoggedVote extends BallotProof, Later {
  readonly found: true;
  readonly voided?: true;
}

export interface Verdict {
  readonly tone: 'good' | 'calm' | 'problem';
  readonly title: string;
  /** May have the placeholders `choices` and `number`. */
  readonly text: string;
}

export function verdictOf({ verdict: words }: Catalogue['check'], reply: CheckReply): Verdict {
  if (!reply.found) return { tone: 'problem', ...words.missing };
  if (reply.changed) return { tone: 'calm', ...words.changed };
  if (reply.answers.length === 0) return { tone: 'good', ...words.withdrawn };
  if ('hidden' in reply) return { tone: 'good', ...words.hidden };
  if (!('path' in reply)) return { tone: 'good', ...words.pending };
  return reply.voided ? { tone: 'calm', ...words.voided } : { tone: 'good', ...words.found };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns a receipt, which is a ballot's id, as the engine has it. Codes of our own voters are UUIDs in lower case. */
export function readReceipt(text: string): string {
  const receipt = text.trim();
  return UUID.test(receipt) ? receipt.toLowerCase() : receipt;
}

/** Returns the values of a check as text, for people who check them by other means. Never includes the receipt. */
export function evidenceOf(pollId: string, values: object): string {
  return JSON.stringify({ poll: pollId, ...values }, null, 1);
}
