import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Comment, Comments, Engine } from '../../engine/engine.ts';
import { FollowedValues } from '../../engine/followed-topics.ts';
import { fill } from '../../locales/i18n.ts';
import { type Phrases, phrasesFor } from '../../locales/phrases.ts';
import { POLL_PATH, type PollParams } from '../../pages/guard/known-polls.ts';
import { Rejection } from '../../pages/guard/rejection.ts';
import { commentItem, type Notice } from '../../pages/page/components.ts';
import { formText } from '../../pages/page/form-text.ts';
import { html, type Markup } from '../../pages/page/html.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import type { VotingSecret } from '../../pages/voter/voting-secret.ts';
import { faultOfIssue, pollText } from '../../poll/input-rules.ts';
import { DAY_MS, type PollId, type Reading } from '../../poll/poll.ts';
import { findReceipt } from './receipt.ts';

const MAX_LENGTH = 1_000;
const MAX_NAME_LENGTH = 80;
/** Older comments are deleted. */
const STORED_COMMENTS = 500;
const SHOWN_COMMENTS = 50;
/** A form that is sent twice within this time is stored once. */
const ONCE_MS = DAY_MS;
/** Shortest time between two updates of the pages. */
const PAUSE_MS = 500;
/** Polls per read: at most about 5 MB of comments. */
const BATCH = 50;

interface RejectedComment {
  readonly comment: FilledComment;
  readonly notice: Notice;
}

interface CommentDependencies extends PageDependencies {
  readonly pollPages: {
    send(
      reading: Reading,
      request: FastifyRequest,
      reply: FastifyReply,
      rejected: RejectedComment,
    ): Promise<FastifyReply>;
  };
}

/** @returns the feed of open pages, to close with the server */
export async function commentRoutes(
  server: FastifyInstance,
  dependencies: CommentDependencies,
): Promise<void> {
  const { engine, polls, secret, viewers, pollPages, streams, log } = dependencies;
  const feed = commentFeed(engine, log);
  server.addHook('preClose', async () => feed.close());

  const comments = { config: { allowance: 'comments' } } as const;
  server.post<PollParams>(`${POLL_PATH}/comments`, comments, async (request, reply) => {
    const reading = await polls.read(request.params.id);
    const { poll } = reading;
    if (!poll.settings.allowComments) throw new Rejection('page_not_found');
    const filled = readCommentForm(request.body);
    const phrases = phrasesFor(request);
    const words = phrases.vote.comments;
    const reject = (text: string) => {
      const notice = { tone: 'problem', title: words.notSent, text } as const;
      return pollPages.send(reading, request, reply, { comment: filled, notice });
    };
    const viewer = await viewers.find(request);
    // Each vote costs a human check, so a script cannot comment under many cookies.
    const hasVoted = viewer && (await findReceipt(dependencies, request, poll, viewer));
    if (!hasVoted) return reject(words.voteFirst);
    const id = (await secret()).unseal('comment', filled.token, poll.id, viewer.voter);
    if (id === undefined) return reject(words.foreignForm);
    const checked = checkComment(phrases, filled);
    if (typeof checked === 'string') return reject(checked);
    const comment = { id, ...checked, writtenAtMs: await engine.polls.now() };
    if (!(await storeOnce(engine, poll.id, comment))) throw new Rejection('poll_not_found');
    return reply.redirect(`/${poll.id}#comments`, 303);
  });

  server.get<PollParams>(`${POLL_PATH}/comments/live`, async (request, reply) => {
    const { poll } = await polls.read(request.params.id);
    if (!poll.settings.allowComments) throw new Rejection('page_not_found');
    const viewer = await viewers.find(request);
    const stream = streams.open(request, reply, viewer?.voter);
    stream.onClose(feed.follow(poll.id, list => stream.send(list)));
  });
}

/** The newest comments of each poll with open pages, as JSON. */
function commentFeed({ hints, comments }: Engine, log: FastifyBaseLogger): FollowedValues<string> {
  const read = async (pollId: string) => JSON.stringify(await comments.list(pollId, SHOWN_COMMENTS));
  return new FollowedValues({
    hints,
    topicOf: pollId => `comments:${pollId}`,
    read: pollIds => Promise.all(pollIds.map(read)),
    findMarks: pollIds => comments.findRevisions(pollIds),
    batch: BATCH,
    pauseMs: PAUSE_MS,
    onError: error => log.warn({ err: error }, 'comments unavailable'),
  });
}

/** A comment form as it was sent. */
export interface FilledComment {
  readonly text: string;
  readonly name: string;
  readonly token: string;
}

const schema = z.object({
  text: pollText({ min: 1, max: MAX_LENGTH, prose: true }),
  name: pollText({ min: 0, max: MAX_NAME_LENGTH }),
});

function readCommentForm(body: unknown): FilledComment {
  // Forms send line ends as CR LF, and control characters are invalid.
  const text = formText(body, 'text').replace(/\r\n?/g, '\n');
  return { text, name: formText(body, 'name'), token: formText(body, 'comment') };
}

/** Returns the comment to store, or an error text. The name may be empty. */
function checkComment(
  { create, vote: { comments }, wording }: Phrases,
  filled: FilledComment,
): { text: string; name: string } | string {
  const parsed = schema.safeParse(filled);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const { fault } = faultOfIssue(issue) ?? {};
  if (fault === 'marks') return create.faults.marks;
  if (issue.path[0] === 'name') return fill(comments.badName, { most: wording.number(MAX_NAME_LENGTH) });
  if (fault === 'empty') return comments.noText;
  if (fault === 'long') return fill(comments.longText, { most: wording.number(MAX_LENGTH) });
  return comments.badText;
}

const STORED = 'written';

/**
 * Stores a comment once. A record holds it until then, so a retry stores the same one.
 *
 * @returns false for a deleted poll
 */
async function storeOnce(engine: Engine, pollId: PollId, comment: Comment): Promise<boolean> {
  const name = `comment:${comment.id}` as const;
  const recorded = await engine.records.putIfAbsent(name, JSON.stringify(comment), ONCE_MS);
  if (recorded === STORED) return true;
  if (!(await engine.comments.add(pollId, JSON.parse(recorded) as Comment, STORED_COMMENTS))) return false;
  await engine.records.put(name, STORED, ONCE_MS);
  return true;
}

interface CommentWriter {
  readonly pollId: PollId;
  readonly voter: string;
  /** Only voters may comment. */
  readonly hasVoted: boolean;
  /** A rejected comment, shown again. */
  readonly filled: FilledComment | undefined;
}

/** Renders the newest comments, and the form for another with its id, so that one sent twice is stored once. */
export async function commentsSection(
  phrases: Phrases,
  comments: Comments,
  secret: VotingSecret,
  { pollId, voter, hasVoted, filled }: CommentWriter,
): Promise<Markup> {
  const words = phrases.vote.comments;
  const list = (await comments.list(pollId)).slice(0, SHOWN_COMMENTS);
  const form = () => html`<form method="post" action="/${pollId}/comments">
<input type="hidden" name="comment" value="${secret.seal('comment', randomUUID(), pollId, voter)}">
<label class="field"><span>${words.yours}</span><textarea name="text" required dir="auto" maxlength="${MAX_LENGTH}" rows="3">${filled?.text}</textarea></label>
<label class="field"><span>${words.name} <small>${words.optional}</small></span><input name="name" value="${filled?.name ?? ''}" maxlength="${MAX_NAME_LENGTH}" dir="auto" autocomplete="nickname"></label>
<button type="submit" class="quiet">${words.send}</button>
</form>`;
  return html`<section class="comments" data-comments="/${pollId}/comments/live" id="comments" aria-labelledby="comments-title">
<h2 id="comments-title">${words.title}</h2>
${hasVoted ? form() : html`<p class="quiet">${words.voteFirst}</p>`}
<ul data-comment-list aria-live="polite">${list.map(comment => commentItem(phrases, comment))}</ul>
<p class="quiet" data-no-comments${list.length > 0 && html` hidden`}>${words.none}</p>
</section>`;
}
