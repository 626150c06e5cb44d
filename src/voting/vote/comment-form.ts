import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { faultOfIssue, pollText } from '../../poll/poll-text.ts';
import { fill } from '../../web/i18n.ts';
import type { Phrases } from '../../web/phrases.ts';
import type { VotingSecret } from '../voter/voting-secret.ts';

export const MAX_COMMENT_LENGTH = 1_000;
export const MAX_COMMENT_NAME_LENGTH = 80;

/** What somebody wrote, as it came. */
export interface FilledComment {
  readonly text: string;
  readonly name: string;
  readonly token: string;
}

const schema = z.object({
  text: pollText({ min: 1, max: MAX_COMMENT_LENGTH, prose: true }),
  name: pollText({ min: 0, max: MAX_COMMENT_NAME_LENGTH }),
});

export function readCommentForm(body: unknown): FilledComment {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
  // Browsers send line ends of forms as CR LF, and a carriage return is a control character.
  return { text: text('text').replace(/\r\n?/g, '\n'), name: text('name'), token: text('comment') };
}

/** The comment to store, or what is wrong with it, in words. Who gives no name is called one by each reader's own page. */
export function checkComment(
  { vote: { comments }, wording }: Phrases,
  filled: FilledComment,
): { text: string; name: string } | string {
  const parsed = schema.safeParse(filled);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  if (issue.path[0] === 'name')
    return fill(comments.badName, { most: wording.number(MAX_COMMENT_NAME_LENGTH) });
  const { fault } = faultOfIssue(issue) ?? {};
  if (fault === 'empty') return comments.noText;
  if (fault === 'long') return fill(comments.longText, { most: wording.number(MAX_COMMENT_LENGTH) });
  return comments.badText;
}

/** The id of a comment that is yet to be written, sealed for one poll and voter. */
export function issueCommentToken(secret: VotingSecret, pollId: string, voter: string): string {
  return secret.seal('comment', randomUUID(), pollId, voter);
}

export function readCommentToken(
  secret: VotingSecret,
  token: string,
  pollId: string,
  voter: string,
): string | undefined {
  return secret.unseal('comment', token, pollId, voter);
}
