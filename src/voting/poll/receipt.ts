import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerId, Poll } from '../../poll/poll.ts';
import type { VotingFront } from '../voting-front.ts';

/** What this voter's counted ballot held, kept by the voter's own browser: the engine knows no voter by name. */

const YEAR_SECONDS = 365 * 86_400;

/** @param voterKey the voter as the engine knows them in this poll */
export async function giveReceipt(
  front: VotingFront,
  reply: FastifyReply,
  poll: Poll,
  voterKey: string,
  answers: readonly AnswerId[],
): Promise<void> {
  const secret = await front.secret();
  const positions = poll.answers.flatMap(({ id }, index) => (answers.includes(id) ? [index] : []));
  const receipt = secret.seal('receipt', positions.join('-'), poll.id, voterKey);
  front.cookies.write(reply, 'receipt', receipt, { maxAgeSeconds: YEAR_SECONDS, path: `/${poll.id}` });
}

/** The answers that were counted for this voter, or undefined where this browser has no receipt. */
export async function readReceipt(
  front: VotingFront,
  request: FastifyRequest,
  poll: Poll,
  voterKey: string,
): Promise<AnswerId[] | undefined> {
  const secret = await front.secret();
  const text = secret.unseal(
    'receipt',
    front.cookies.read(request, 'receipt', `/${poll.id}`),
    poll.id,
    voterKey,
  );
  return text?.split('-').flatMap(position => poll.answers[Number(position)]?.id ?? []);
}
