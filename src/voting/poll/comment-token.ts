import { randomUUID } from 'node:crypto';
import type { VotingFront } from '../voting-front.ts';

/** The id of a comment that is yet to be written, sealed for one poll and voter. */
export async function issueCommentToken(front: VotingFront, pollId: string, voter: string): Promise<string> {
  return (await front.secret()).seal('comment', randomUUID(), pollId, voter);
}

export async function readCommentToken(
  front: VotingFront,
  token: unknown,
  pollId: string,
  voter: string,
): Promise<string | undefined> {
  return typeof token === 'string'
    ? (await front.secret()).unseal('comment', token, pollId, voter)
    : undefined;
}
