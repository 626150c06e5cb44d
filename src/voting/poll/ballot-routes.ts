import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Polls } from '../../engine/polls.ts';
import { PollError } from '../../poll/poll-error.ts';
import type { HumanCheck } from '../guard/human-check.ts';
import { limited, type VotingRateLimits } from '../guard/rate-limit.ts';
import { Refusal } from '../guard/refusal.ts';
import { POLL_PATH, type PollParams, readPoll } from '../guard/requested-poll.ts';
import type { SendPage } from '../page/page.ts';
import type { Viewers } from '../voter/viewer.ts';
import type { BallotBox } from './ballot-box.ts';
import { type FilledForm, readBallotForm } from './ballot-form.ts';
import type { PollPages } from './poll-pages.ts';
import type { Receipts } from './receipt.ts';
import { retryPage } from './retry-page.ts';

interface BallotRouteParts {
  readonly polls: Polls;
  readonly viewers: Viewers;
  readonly humanCheck: HumanCheck;
  readonly ballotBox: BallotBox;
  readonly receipts: Receipts;
  readonly pollPages: PollPages;
  readonly limits: VotingRateLimits;
  readonly sendPage: SendPage;
}

/** A poll's page, its human check, and the way in for a ballot. */
export function addBallotRoutes(server: FastifyInstance, parts: BallotRouteParts): void {
  const { polls, viewers, humanCheck, pollPages, limits, sendPage } = parts;

  server.get<PollParams>(POLL_PATH, limited(limits, 'pages'), async (request, reply) =>
    pollPages.send(await readPoll(polls, request.params.id), request, reply),
  );

  server.get<PollParams>(`${POLL_PATH}/challenge`, limited(limits, 'pages'), async (request, reply) => {
    const viewer = await viewers.greet(request, reply);
    const challenge = await humanCheck.renew({ pollId: request.params.id, voter: viewer.voter });
    if (!challenge) throw new Refusal('page_not_found');
    return reply.header('cache-control', 'private, no-store').send(challenge);
  });

  server.post<PollParams>(`${POLL_PATH}/ballot`, limited(limits, 'ballots'), async (request, reply) => {
    const filled = readBallotForm(request.body);
    try {
      return await takeBallot(parts, filled, request, reply);
    } catch (error) {
      const lost = error instanceof PollError && error.code === 'engine_unavailable';
      if (!lost) throw error;
      // Whether the ballot was counted is unknown now, and the same form is the only thing that can find out.
      return sendPage(reply.header('retry-after', 1), 503, retryPage(request.params.id, filled));
    }
  });
}

async function takeBallot(
  { polls, viewers, ballotBox, receipts, pollPages }: BallotRouteParts,
  filled: FilledForm,
  request: FastifyRequest<PollParams>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const reading = await readPoll(polls, request.params.id);
  const viewer = await viewers.find(request);
  if (!viewer) return pollPages.send(reading, request, reply, { filled, refusal: 'cookie_missing' });
  const cast = await ballotBox.cast(reading.poll, viewer, filled, request);
  if (typeof cast !== 'string') {
    await receipts.give(reply, reading.poll, cast.voter, cast.answers);
    // The page is read, not sent again, when somebody reloads it.
    return reply.redirect(`/${reading.poll.id}`, 303);
  }
  if (cast === 'poll_not_found') throw new Refusal('poll_not_found');
  // Read again: the poll may have ended since.
  return pollPages.send(await readPoll(polls, reading.poll.id), request, reply, { filled, refusal: cast });
}
