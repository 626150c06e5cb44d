import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RejectedBallotCounter } from '../../engine/rejected-ballots.ts';
import { phrasesFor } from '../../locales/phrases.ts';
import { refusals } from '../../metrics/catalogue.ts';
import { POLL_PATH, type PollParams } from '../../pages/guard/known-polls.ts';
import { Rejection } from '../../pages/guard/rejection.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import { PollError } from '../../poll/poll-error.ts';
import { type BallotBox, type FilledForm, readBallotForm } from './ballot-box.ts';
import { rejectionIn, ruleOfRejection } from './ballot-rejection.ts';
import type { PollPages } from './poll-pages.ts';
import { retryPage } from './poll-view.ts';
import { findReceipt, writeReceipt } from './receipt.ts';

interface BallotDependencies extends PageDependencies {
  readonly ballotBox: BallotBox;
  readonly rejectedBallots: RejectedBallotCounter;
  readonly pollPages: PollPages;
}

/** A poll's page, its human check, and the route for ballots. */
export async function ballotRoutes(server: FastifyInstance, dependencies: BallotDependencies): Promise<void> {
  const { polls, viewers, humanCheck, pollPages, sendPage } = dependencies;

  server.get<PollParams>(POLL_PATH, async (request, reply) =>
    pollPages.send(await polls.read(request.params.id), request, reply),
  );

  server.get<PollParams>(`${POLL_PATH}/challenge`, async (request, reply) => {
    const { status } = (await polls.read(request.params.id)).results;
    // So a proof shows that the poll was open when its task was issued.
    if (status !== 'open') {
      const error = status === 'upcoming' ? 'poll_not_open' : 'poll_closed';
      refusals.of({ surface: 'voting', code: error }).value += 1;
      return reply.status(409).header('cache-control', 'private, no-store').send({ error });
    }
    const viewer = await viewers.findOrCreate(request, reply);
    const challenge = await humanCheck.renew({ pollId: request.params.id, voter: viewer.voter });
    if (!challenge) throw new Rejection('page_not_found');
    return reply.header('cache-control', 'private, no-store').send(challenge);
  });

  const ballots = { config: { allowance: 'ballots' } } as const;
  server.post<PollParams>(`${POLL_PATH}/ballot`, ballots, async (request, reply) => {
    const filled = readBallotForm(request.body);
    try {
      return await castBallot(dependencies, filled, request, reply);
    } catch (error) {
      const isEngineLost = error instanceof PollError && error.code === 'engine_unavailable';
      if (!isEngineLost) throw error;
      refusals.of({ surface: 'ballot', code: error.code }).value += 1;
      // The ballot may have been counted. Only a retry of the same form can find out.
      reply.header('retry-after', 1);
      if (isFromScript(request)) return sendToScript(reply, 503);
      return sendPage(reply, 503, retryPage(phrasesFor(request), request.params.id, filled));
    }
  });
}

async function castBallot(
  dependencies: BallotDependencies,
  sent: FilledForm,
  request: FastifyRequest<PollParams>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { polls, viewers, ballotBox, rejectedBallots, pollPages } = dependencies;
  const poll = await polls.readDefinition(request.params.id, sent);
  const viewer = await viewers.find(request);
  const receipt = viewer && (await findReceipt(dependencies, request, poll, viewer));
  // The form of a voter who has withdrawn, in a page from before.
  const isChange = sent.isChange || receipt?.answers.length === 0;
  const filled = { ...sent, isChange };
  const result = viewer ? await ballotBox.cast(poll, viewer, filled, request, receipt) : 'cookie_missing';
  if (typeof result !== 'string') {
    await writeReceipt(dependencies, reply, poll, result);
    const page = `/${poll.id}`;
    // A redirect, so that reloading the page does not send the form again.
    return isFromScript(request) ? sendToScript(reply, 200, page) : reply.redirect(page, 303);
  }
  if (result === 'poll_not_found') throw new Rejection('poll_not_found');
  // Read the poll again: it may have closed.
  const reading = await polls.read(poll.id);
  const rejection = rejectionIn(reading.results.status, result);
  refusals.of({ surface: 'ballot', code: rejection }).value += 1;
  const { reason } = ruleOfRejection(rejection);
  if (reason) rejectedBallots.add(poll.id, reason);
  // A change of an earlier round's ballot is a first vote in this one.
  const shown = result === 'round_over' ? { ...filled, isChange: false } : filled;
  return pollPages.send(reading, request, reply, { filled: shown, rejection });
}

/** The script of the form retries without a reply. It gets rejections as a page, too. */
function isFromScript(request: FastifyRequest): boolean {
  return request.headers.accept === 'application/json';
}

/** @param page undefined for a ballot that may not be counted */
function sendToScript(reply: FastifyReply, status: number, page?: string): FastifyReply {
  const result = page === undefined ? { counted: false } : { counted: true, page };
  return reply.status(status).header('cache-control', 'private, no-store').send(result);
}
