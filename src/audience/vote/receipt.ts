import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import type { Viewer } from '../../pages/voter/viewer.ts';
import { type AnswerId, nameOfRound, type Poll } from '../../poll/poll.ts';

const YEAR_SECONDS = 365 * 86_400;
/**
 * Older receipts have positions, which answers keep from the first ballot on. Before the answers,
 * and before a ballot id.
 */
const BY_ID = '=';
/** Radix of times. */
const SHORT = 36;

/**
 * A voter's last counted ballot, in a sealed cookie of the voter's browser: the engine does not map
 * voters to answers, except in polls that allow changes. Times are UNIX times in milliseconds, 0 for
 * none.
 */
export interface Receipt {
  /** None if it is withdrawn. */
  readonly answers: readonly AnswerId[];
  /** Absent in old receipts of polls that are not verifiable. */
  readonly ballotId: string | undefined;
  /** When the voter last passed the human check. */
  readonly checkedAtMs: number;
  /** When the last correction before the ballot was made. */
  readonly editedAtMs: number;
}

export interface CountedBallot extends Receipt {
  /** The voter's id in this poll. */
  readonly voter: string;
}

/** Keeps a counted ballot. */
export async function writeReceipt(
  { secret, cookies }: Pick<PageDependencies, 'secret' | 'cookies'>,
  reply: FastifyReply,
  poll: Poll,
  { voter, answers, ballotId, checkedAtMs, editedAtMs }: CountedBallot,
): Promise<void> {
  const times = [checkedAtMs, editedAtMs].map(ms => (ms > 0 ? ms.toString(SHORT) : ''));
  const chosen = ['', answers.join(), ballotId, ...times].join(BY_ID);
  const receipt = (await secret()).seal('receipt', chosen, nameOfRound(poll), voter);
  cookies.write(reply, 'receipt', receipt, { maxAgeSeconds: YEAR_SECONDS, path: `/${poll.id}` });
}

/** Returns undefined without a valid receipt. */
export async function findReceipt(
  { secret, cookies, viewers }: Pick<PageDependencies, 'secret' | 'cookies' | 'viewers'>,
  request: FastifyRequest,
  poll: Poll,
  viewer: Viewer,
): Promise<Receipt | undefined> {
  const sealed = cookies.read(request, 'receipt', `/${poll.id}`);
  if (sealed === undefined) return undefined;
  const voter = await viewers.keyFor(poll, viewer);
  const text = (await secret()).unseal('receipt', sealed, nameOfRound(poll), voter);
  if (text === undefined) return undefined;
  const known = poll.answers.map(({ id }) => id);
  const [positions, chosen, ballotId, ...times] = text.split(BY_ID);
  const [checkedAtMs = 0, editedAtMs = 0] = times.map(time => Number.parseInt(time, SHORT) || 0);
  const answers =
    chosen === undefined
      ? positions!.split('-').flatMap(position => known[Number(position)] ?? [])
      : known.filter(id => chosen.split(',').includes(id));
  return { answers, ballotId, checkedAtMs, editedAtMs };
}
