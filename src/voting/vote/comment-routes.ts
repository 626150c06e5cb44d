import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Comment } from '../../engine/comments.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EventStreams } from '../../http/event-stream.ts';
import type { PollId } from '../../poll/poll.ts';
import { phrasesFor } from '../../web/phrases.ts';
import type { KnownPolls } from '../guard/known-polls.ts';
import { limited, type VotingRateLimits } from '../guard/rate-limit.ts';
import { Rejection } from '../guard/rejection.ts';
import { POLL_PATH, type PollParams } from '../guard/requested-poll.ts';
import type { Notice } from '../page/notice.ts';
import type { Viewers } from '../voter/viewer.ts';
import type { ReadSecret } from '../voter/voting-secret.ts';
import { CommentFeed } from './comment-feed.ts';
import { checkComment, readCommentForm, readCommentToken } from './comment-form.ts';
import type { PollPages } from './poll-pages.ts';
import type { Receipts } from './receipt.ts';

/** Older ones are forgotten. */
const KEPT_COMMENTS = 500;
/** How long pressing twice, or reloading, writes no second comment. */
const ONCE_MS = 86_400_000;

interface CommentRouteParts {
  readonly engine: Engine;
  readonly polls: KnownPolls;
  readonly receipts: Receipts;
  readonly secret: ReadSecret;
  readonly viewers: Viewers;
  readonly pollPages: PollPages;
  readonly streams: EventStreams;
  readonly limits: VotingRateLimits;
  readonly log: FastifyBaseLogger;
}

/** @returns the feed of its pages, to be closed with the server */
export function addCommentRoutes(
  server: FastifyInstance,
  { engine, polls, receipts, secret, viewers, pollPages, streams, limits, log }: CommentRouteParts,
): CommentFeed {
  const feed = new CommentFeed(engine, log);

  server.post<PollParams>(`${POLL_PATH}/comments`, limited(limits, 'comments'), async (request, reply) => {
    const reading = await polls.read(request.params.id);
    const { poll } = reading;
    if (!poll.settings.allowComments) throw new Rejection('page_not_found');
    const filled = readCommentForm(request.body);
    const phrases = phrasesFor(request);
    const words = phrases.vote.comments;
    const refuse = (text: string) => {
      const refusedComment: Notice = { tone: 'problem', title: words.notSent, text };
      return pollPages.send(reading, request, reply, { comment: filled, refusedComment });
    };
    const viewer = await viewers.find(request);
    // A vote cost a human check, so a script cannot comment under many cookies for free.
    const hasVoted = viewer && (await receipts.read(request, poll, () => viewers.keyFor(poll, viewer)));
    if (!hasVoted) return refuse(words.voteFirst);
    const id = readCommentToken(await secret(), filled.token, poll.id, viewer.voter);
    if (id === undefined) return refuse(words.foreignForm);
    const checked = checkComment(phrases, filled);
    if (typeof checked === 'string') return refuse(checked);
    const comment = { id, ...checked, writtenAtMs: await engine.polls.now() };
    if (!(await writeOnce(engine, poll.id, comment))) throw new Rejection('poll_not_found');
    return reply.redirect(`/${poll.id}#comments`, 303);
  });

  server.get<PollParams>(`${POLL_PATH}/comments/live`, limited(limits, 'pages'), async (request, reply) => {
    const { poll } = await polls.read(request.params.id);
    if (!poll.settings.allowComments) throw new Rejection('page_not_found');
    const viewer = await viewers.find(request);
    feed.add(poll.id, streams.open(request, reply, viewer?.voter));
  });
  return feed;
}

const WRITTEN = 'written';

/**
 * Stores a comment once, however often its form is sent. What is to be written is noted first and noted as written afterwards:
 * where storing fails in between, the next try stores the same comment, and the engine keeps the same comment once.
 *
 * @returns false where there is no such poll
 */
async function writeOnce(engine: Engine, pollId: PollId, comment: Comment): Promise<boolean> {
  const name = `comment:${comment.id}`;
  const noted = await engine.records.putIfAbsent(name, JSON.stringify(comment), ONCE_MS);
  if (noted === WRITTEN) return true;
  if (!(await engine.comments.add(pollId, JSON.parse(noted) as Comment, KEPT_COMMENTS))) return false;
  await engine.records.put(name, WRITTEN, ONCE_MS);
  return true;
}
