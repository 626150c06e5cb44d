import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reading } from '../../poll/poll.ts';
import { hashKey, sameDigest } from '../../poll/poll-key.ts';
import type { VotingFront } from '../voting-front.ts';

/** The creator's way in: the key comes once, from the URL's fragment, and a cookie for this poll alone stands for it. */

const SESSION_SECONDS = 7 * 86_400;

/** @returns false where the key does not manage this poll: a view key only reads */
export async function openSession(
  front: VotingFront,
  reply: FastifyReply,
  { poll, keys }: Reading,
  key: string,
): Promise<boolean> {
  const hash = hashKey(key);
  const admin = sameDigest(hash, keys.adminKeyHash);
  const operator = front.isOperatorKey(hash);
  if (!admin && !operator) return false;
  const text = String(front.clock() + SESSION_SECONDS * 1000);
  const sealed = (await front.secret()).seal('manage', text, poll.id, keys.adminKeyHash);
  front.cookies.write(reply, 'manage', sealed, { maxAgeSeconds: SESSION_SECONDS, path: managePath(poll.id) });
  return true;
}

export async function isManaging(
  front: VotingFront,
  request: FastifyRequest,
  reading: Reading,
): Promise<boolean> {
  const { poll, keys } = reading;
  const sealed = front.cookies.read(request, 'manage', managePath(poll.id));
  const untilMs = (await front.secret()).unseal('manage', sealed, poll.id, keys.adminKeyHash);
  return untilMs !== undefined && Number(untilMs) > front.clock();
}

export function closeSession(front: VotingFront, reply: FastifyReply, pollId: string): void {
  front.cookies.clear(reply, 'manage', managePath(pollId));
}

export function managePath(pollId: string): string {
  return `/${pollId}/manage`;
}
