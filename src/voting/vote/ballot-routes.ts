import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refusals } from '../../metrics/catalogue.ts';
import { PollError } from '../../poll/poll-error.ts';
import { phrasesFor } from '../../web/phrases.ts';
import type { HumanCheck } from '../guard/human-check.ts';
import type { KnownPolls } from '../guard/known-polls.ts';
import { limited, type VotingRateLimits } from '../guard/rate-limit.ts';
import { Rejection } from '../guard/rejection.ts';
import { POLL_PATH, type PollParams } from '../guard/requested-poll.ts';
import type { SendPage } from '../page/page.ts';
import type { Viewers } from '../voter/viewer.ts';
import type { BallotBox } from './ballot-box.ts';
import { type FilledForm, readBallotForm } from './ballot-form.ts';
import type { PollPages } from './poll-pages.ts';
import type { Receipts } from './receipt.ts';
import { retryPage } from './voting-form.ts';

interface BallotRouteParts {
  readonly polls: KnownPolls;
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
    pollPages.send(await polls.read(request.params.id), request, reply),
  );

  server.get<PollParams>(`${POLL_PATH}/challenge`, limited(limits, 'pages'), async (request, reply) => {
    const viewer = await viewers.greet(request, reply);
    const challenge = await humanCheck.renew({ pollId: request.params.id, voter: viewer.voter });
    if (!challenge) throw new Rejection('page_not_found');
    return reply.header('cache-control', 'private, no-store').send(challenge);
  });

  server.post<PollParams>(`${POLL_PATH}/ballot`, limited(limits, 'ballots'), async (request, reply) => {
    const filled = readBallotForm(request.body);
    try {
      return await takeBallot(parts, filled, request, reply);
    } catch (error) {
      const lost = error instanceof PollError && error.code === 'engine_unavailable';
      if (!lost) throw error;
      refusals.of({ surface: 'ballot', code: error.code }).value += 1;
      // Whether the ballot was counted is unknown now, and the same form is the only thing that can find out.
      reply.header('retry-after', 1);
      if (isScript(request)) return tellScript(reply, 503, { counted: false });
      return sendPage(reply, 503, retryPage(phrasesFor(request), request.params.id, filled));
    }
  });
}

async function takeBallot(
  { polls, viewers, ballotBox, receipts, pollPages }: BallotRouteParts,
  filled: FilledForm,
  request: FastifyRequest<PollParams>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const poll = await polls.readDefinition(request.params.id);
  const viewer = await viewers.find(request);
  const cast = viewer ? await ballotBox.cast(poll, viewer, filled, request) : 'cookie_missing';
  if (typeof cast !== 'string') {
    await receipts.give(reply, poll, cast.voter, cast.answers);
    const page = `/${poll.id}`;
    // The page is read, not sent again, when somebody reloads it.
    return isScript(request) ? tellScript(reply, 200, { counted: true, page }) : reply.redirect(page, 303);
  }
  if (cast === 'poll_not_found') throw new Rejection('poll_not_found');
  refusals.of({ surface: 'ballot', code: cast }).value += 1;
  // As it is now: the poll may have ended since.
  return pollPages.send(await polls.read(poll.id), request, reply, { filled, refusal: cast });
}

/** The form's script tries again where no answer comes. A rejection is a page for it as well, which it draws. */
function isScript(request: FastifyRequest): boolean {
  return request.headers.accept === 'application/json';
}

function tellScript(
  reply: FastifyReply,
  status: number,
  answer: { readonly counted: false } | { readonly counted: true; readonly page: string },
): FastifyReply {
  return reply.status(status).header('cache-control', 'private, no-store').send(answer);
}
