import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reading } from '../../poll/poll.ts';
import { PollError } from '../../poll/poll-error.ts';
import { limited } from '../guard/rate-limit.ts';
import { Refusal } from '../guard/refusal.ts';
import { sendPage } from '../page/page.ts';
import { findViewer, greetViewer } from '../voter/viewer.ts';
import { POLL_PATH, type PollParams, type VotingFront } from '../voting-front.ts';
import { type FilledForm, readBallotForm } from './ballot-form.ts';
import { castFromForm } from './cast-from-form.ts';
import { tellNotCounted } from './outcome-notice.ts';
import { pollPage } from './poll-page.ts';
import { type Returned, viewPoll } from './poll-view.ts';
import { giveReceipt } from './receipt.ts';
import { sendRetryPage } from './retry-page.ts';

export function addBallotRoutes(server: FastifyInstance, front: VotingFront): void {
  server.get<PollParams>(POLL_PATH, limited(front.limits, 'pages'), async (request, reply) => {
    const reading = await readPoll(front, request.params.id);
    return sendPoll(front, reading, request, reply);
  });

  server.get<PollParams>(`${POLL_PATH}/challenge`, limited(front.limits, 'pages'), async (request, reply) => {
    const viewer = await greetViewer(front, request, reply);
    const challenge = await front.humanCheck.renew({ pollId: request.params.id, voter: viewer.voter });
    if (!challenge) throw new Refusal('page_not_found');
    return reply.header('cache-control', 'private, no-store').send(challenge);
  });

  server.post<PollParams>(`${POLL_PATH}/ballot`, limited(front.limits, 'ballots'), async (request, reply) => {
    const filled = readBallotForm(request.body);
    try {
      return await takeBallot(front, filled, request, reply);
    } catch (error) {
      const lost = error instanceof PollError && error.code === 'engine_unavailable';
      if (!lost) throw error;
      // Whether the ballot was counted is unknown now, and the same form is the only thing that can find out.
      return sendRetryPage(front, request.params.id, filled, reply);
    }
  });
}

async function takeBallot(
  front: VotingFront,
  filled: FilledForm,
  request: FastifyRequest<PollParams>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const reading = await readPoll(front, request.params.id);
  const viewer = await findViewer(front, request);
  if (!viewer) return sendPoll(front, reading, request, reply, { filled, refusal: 'cookie_missing' });
  const cast = await castFromForm(front, reading.poll, viewer, filled, request);
  if (typeof cast !== 'string') {
    await giveReceipt(front, reply, reading.poll, cast.voter, cast.answers);
    // The page is read, not sent again, when somebody reloads it.
    return reply.redirect(`/${reading.poll.id}`, 303);
  }
  if (cast === 'poll_not_found') throw new Refusal('poll_not_found');
  // Read again: the poll may have ended since.
  return sendPoll(front, await readPoll(front, reading.poll.id), request, reply, { filled, refusal: cast });
}

/** @param returned what the person sent, where nothing was done with it: it is shown again */
export async function sendPoll(
  front: VotingFront,
  reading: Reading,
  request: FastifyRequest,
  reply: FastifyReply,
  returned: Returned = {},
): Promise<FastifyReply> {
  const viewer = await greetViewer(front, request, reply);
  const view = await viewPoll(front, { reading, viewer, request, ...returned });
  const status = returned.refusal
    ? tellNotCounted(returned.refusal).status
    : returned.refusedComment
      ? 400
      : 200;
  if (status === 503) reply.header('retry-after', 1);
  return sendPage(reply, front.assets, status, pollPage(front, view));
}

export async function readPoll(front: VotingFront, id: string): Promise<Reading> {
  const reading = await front.engine.findPoll(id);
  if (!reading) throw new Refusal('poll_not_found');
  return reading;
}
