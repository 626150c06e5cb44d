import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PollLogs } from '../../audit/poll-logs.ts';
import { phrasesFor } from '../../locales/phrases.ts';
import { POLL_PATH, type PollParams } from '../../pages/guard/known-polls.ts';
import { Rejection } from '../../pages/guard/rejection.ts';
import { formText } from '../../pages/page/form-text.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import { areResultsPublic, idOfRound, type Reading, SHOW_NAME } from '../../poll/poll.ts';
import { PollError } from '../../poll/poll-error.ts';
import { findReceipt } from '../vote/receipt.ts';
import { checkPage, MAX_RECEIPT_LENGTH } from './check-page.ts';
import { type CheckReply, readReceipt } from './verdict.ts';

interface CheckDependencies extends PageDependencies {
  readonly logs: PollLogs;
}

interface CheckParams extends PollParams {
  readonly Querystring: { readonly round?: unknown; readonly show?: unknown };
}

/** A round, and how many there are. */
interface CheckedRound {
  readonly reading: Reading;
  readonly rounds: number;
}

const CHECK_PATH = `${POLL_PATH}/check`;

/** Adds the page on which voters find their vote in the log of a verifiable poll, and anyone checks the result. */
export async function checkRoutes(server: FastifyInstance, dependencies: CheckDependencies): Promise<void> {
  const { polls, viewers } = dependencies;

  async function readChecked({ params, query }: FastifyRequest<CheckParams>): Promise<CheckedRound> {
    const present = await polls.read(params.id);
    const reading = await polls.readRound(present, query.round);
    if (!reading.poll.settings.isVerifiable) throw new Rejection('page_not_found');
    return { reading, rounds: present.poll.round ?? 1 };
  }

  server.get<CheckParams>(CHECK_PATH, async (request, reply) => {
    const checked = await readChecked(request);
    const { reading } = checked;
    const viewer = await viewers.findOrCreate(request, reply);
    const receipt = await findReceipt(dependencies, request, reading.poll, viewer);
    return sendCheck(dependencies, checked, request, reply, { receipt: receipt?.ballotId });
  });

  server.post<CheckParams>(CHECK_PATH, { config: { allowance: 'ballots' } }, async (request, reply) => {
    const checked = await readChecked(request);
    const receipt = readReceipt(formText(request.body, 'receipt'));
    const found = await findVote(dependencies, checked.reading, receipt);
    if (request.headers.accept === 'application/json')
      return reply.header('cache-control', 'private, no-store').send(found);
    return sendCheck(dependencies, checked, request, reply, { receipt, found });
  });
}

async function sendCheck(
  { logs, relayUrl, sendPage, turns }: CheckDependencies,
  { reading, rounds }: CheckedRound,
  request: FastifyRequest<CheckParams>,
  reply: FastifyReply,
  check: { readonly receipt: string | undefined; readonly found?: CheckReply },
): Promise<FastifyReply> {
  const { show } = request.query;
  const { poll, results } = reading;
  const isClosed = results.status === 'closed';
  const log = isLogPublic(reading) ? await unlessLate(logs.find(poll, isClosed)) : undefined;
  const showName = typeof show === 'string' && SHOW_NAME.test(show) ? show : undefined;
  const view = { phrases: phrasesFor(request), reading, rounds, log, relayUrl, show: showName, ...check };
  await turns.take(request);
  // `tallycast verify` takes the address of this page.
  reply.header('link', `<${relayUrl}/api/poll/${poll.id}>; rel="describedby"; type="application/json"`);
  return sendPage(reply, 200, checkPage(view));
}

/** Until then nothing is told that depends on the number of ballots. */
function isLogPublic({ poll, results }: Reading): boolean {
  return areResultsPublic(results) || poll.settings.showLogSize;
}

/** The first checkpoint of many ballots takes seconds. The page does without it, and asks again. */
async function unlessLate<Read>(read: Promise<Read>): Promise<Read | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof PollError && error.code === 'log_unavailable') return undefined;
    throw error;
  }
}

async function findVote(
  { engine, logs }: CheckDependencies,
  reading: Reading,
  receipt: string,
): Promise<CheckReply> {
  const { poll, results } = reading;
  const isReceipt = receipt !== '' && receipt.length <= MAX_RECEIPT_LENGTH;
  const ballot = isReceipt
    ? await engine.polls.findBallot(idOfRound(poll.id, poll.round ?? 1), receipt)
    : undefined;
  if (!ballot) return { found: false };
  const { answers, sequence, replaces } = ballot;
  const later = ballot.changed && { changed: true as const };
  if (!isLogPublic(reading)) return { found: true, answers, hidden: true, ...later };
  const proof = await unlessLate(logs.proveInclusion(poll, sequence));
  return {
    found: true,
    answers,
    sequence,
    ...(replaces !== undefined && { replaces }),
    ...later,
    // Removed votes are part of the results.
    ...(ballot.voided && areResultsPublic(results) && { voided: true }),
    ...(proof && {
      path: proof.path.map(hash => Buffer.from(hash).toString('base64')),
      checkpoint: proof.log.note,
      key: proof.log.key,
    }),
  };
}
