import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countAudience } from '../../engine/audience.ts';
import type { EventStreams } from '../../http/event-stream.ts';
import type { Reading } from '../../poll/poll.ts';
import { hashKey, sameDigest } from '../../poll/poll-key.ts';
import { type Phrases, phrasesFor } from '../../web/phrases.ts';
import type { KnownPolls } from '../guard/known-polls.ts';
import { limited, type VotingRateLimits } from '../guard/rate-limit.ts';
import { Rejection } from '../guard/rejection.ts';
import { POLL_PATH, type PollParams } from '../guard/requested-poll.ts';
import { html } from '../page/html.ts';
import { noticeBox } from '../page/notice.ts';
import { type Page, type SendPage, SITE_NAME } from '../page/page.ts';
import { votingQr } from '../page/voting-qr.ts';
import type { Viewers } from '../voter/viewer.ts';
import { type ActionOutcome, outcomeNotice } from './action-outcome.ts';
import { ballotsCsv, namesPage } from './ballot-list.ts';
import {
  ACTIONS,
  type ActionFields,
  type ActionTools,
  keyFrom,
  keyTokenIn,
  type RenewedKey,
  sealKeyToken,
} from './manage-actions.ts';
import { ManageFeed } from './manage-live.ts';
import { keyPage, managePage } from './manage-page.ts';
import { type ManageSessions, managePath } from './manage-session.ts';
import type { OutcomeNotes } from './outcome-note.ts';

const MANAGE_PATH = `${POLL_PATH}/manage`;
const MAX_KEY_LENGTH = 512;

interface ManageRouteParts extends ActionTools {
  readonly polls: KnownPolls;
  readonly viewers: Viewers;
  readonly sessions: ManageSessions;
  readonly notes: OutcomeNotes;
  readonly streams: EventStreams;
  readonly limits: VotingRateLimits;
  readonly sendPage: SendPage;
  readonly voteUrl: string;
}

/** @returns the feed of its pages, to be closed with the server */
export function addManageRoutes(server: FastifyInstance, parts: ManageRouteParts): ManageFeed {
  const feed = new ManageFeed(parts.engine);
  addManagePage(server, parts, feed);
  addDownloads(server, parts);
  addActions(server, parts);
  return feed;
}

function addManagePage(server: FastifyInstance, parts: ManageRouteParts, feed: ManageFeed): void {
  const { polls, viewers, sessions, notes, streams, limits, sendPage } = parts;
  const pages = limited(limits, 'pages');

  server.get<PollParams>(MANAGE_PATH, pages, async (request, reply) => {
    const reading = await polls.read(request.params.id);
    await viewers.greet(request, reply);
    if (!(await sessions.isOpen(request, reading)))
      return sendPage(reply, 200, keyPage(phrasesFor(request), reading.poll.id, false));
    return sendManage(parts, request, reply, reading, await notes.take(request, reply, reading.poll.id));
  });

  server.post<PollParams & { Body: { key?: unknown } | undefined }>(
    `${MANAGE_PATH}/key`,
    limited(limits, 'keys'),
    async (request, reply) => {
      const reading = await polls.read(request.params.id);
      const key = request.body?.key;
      const usable = typeof key === 'string' && key.length <= MAX_KEY_LENGTH;
      if (usable && (await sessions.open(reply, reading, key.trim())))
        return reply.redirect(managePath(reading.poll.id), 303);
      return sendPage(reply, 403, keyPage(phrasesFor(request), reading.poll.id, true));
    },
  );

  server.get<PollParams>(
    `${MANAGE_PATH}/live`,
    { ...pages, exposeHeadRoute: false },
    async (request, reply) => {
      const reading = await readManaged(parts, request);
      const viewer = await viewers.find(request);
      const stream = streams.open(request, reply, viewer?.voter);
      sessions.endWithKey(request, reading, stream);
      feed.add(reading, stream);
    },
  );
}

function addDownloads(server: FastifyInstance, parts: ManageRouteParts): void {
  const { engine, limits, sendPage } = parts;
  const pages = limited(limits, 'pages');

  server.get<PollParams>(`${MANAGE_PATH}/ballots.csv`, pages, async (request, reply) => {
    const { poll } = await readManaged(parts, request);
    return reply
      .headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="ballots-${poll.id}.csv"`,
        'cache-control': 'private, no-store',
      })
      .send(Readable.from(ballotsCsv(engine.polls, poll)));
  });

  server.get<PollParams>(`${MANAGE_PATH}/names`, pages, async (request, reply) => {
    const { poll } = await readManaged(parts, request);
    if (!poll.settings.requireName) throw new Rejection('page_not_found');
    return sendPage(reply, 200, await namesPage(phrasesFor(request), engine.polls, poll));
  });
}

function addActions(server: FastifyInstance, parts: ManageRouteParts): void {
  const { engine, polls, secret, sessions, notes, limits, sendPage } = parts;
  const pages = limited(limits, 'pages');

  server.get<PollParams>(`${MANAGE_PATH}/deleted`, pages, async (request, reply) => {
    const outcome = await notes.take(request, reply, request.params.id);
    if (!isRemoved(outcome)) return reply.redirect(managePath(request.params.id), 303);
    return sendPage(reply, 200, removedPage(phrasesFor(request)));
  });

  // Where a reload or a bookmark asks for the answer to a button, the page itself is what is meant.
  server.get<PollParams>(`${MANAGE_PATH}/:action`, pages, async (request, reply) =>
    reply.redirect(managePath(request.params.id), 303),
  );

  server.post<PollParams & { Body: ActionFields | undefined }>(
    `${MANAGE_PATH}/admin-key`,
    pages,
    async (request, reply) => {
      const reading = await polls.read(request.params.id);
      const { id } = reading.poll;
      const sealing = await secret();
      const token = keyTokenIn(sealing, 'admin', id, request.body ?? {});
      const adminKey = token === undefined ? '' : keyFrom(sealing, 'admin', token, id);
      const adminKeyHash = hashKey(adminKey);
      // The first click ended the session that the second one comes with.
      const isMade = sameDigest(adminKeyHash, reading.keys.adminKeyHash);
      if (!isMade && !(await sessions.isOpen(request, reading))) throw new Rejection('not_managing');
      if (token === undefined) {
        await notes.leave(reply, id, { refused: 'page_stale' });
        return reply.redirect(managePath(id), 303);
      }
      if (!isMade) await engine.polls.change(id, { adminKeyHash });
      await sessions.open(reply, { ...reading, keys: { ...reading.keys, adminKeyHash } }, adminKey);
      await notes.leave(reply, id, { done: 'new_admin_key', adminKeyToken: token });
      return reply.redirect(managePath(id), 303);
    },
  );

  server.post<PollParams & { Params: { action: string }; Body: ActionFields | undefined }>(
    `${MANAGE_PATH}/:action`,
    pages,
    async (request, reply) => {
      const action = Object.hasOwn(ACTIONS, request.params.action)
        ? ACTIONS[request.params.action]
        : undefined;
      if (!action) throw new Rejection('page_not_found');
      const reading = await readManaged(parts, request);
      const outcome = await action(parts, reading, request.body ?? {});
      const path = managePath(reading.poll.id);
      await notes.leave(reply, reading.poll.id, outcome);
      if (!isRemoved(outcome)) return reply.redirect(path, 303);
      sessions.close(reply, reading.poll.id);
      return reply.redirect(`${path}/deleted`, 303);
    },
  );
}

/** The poll, for whoever has its session; anybody else is told no more than where the key goes. */
async function readManaged(
  { polls, sessions }: Pick<ManageRouteParts, 'polls' | 'sessions'>,
  request: FastifyRequest<PollParams>,
): Promise<Reading> {
  const reading = await polls.read(request.params.id);
  if (!(await sessions.isOpen(request, reading))) throw new Rejection('not_managing');
  return reading;
}

async function sendManage(
  { engine, secret: readSecret, relayUrl, voteUrl, sendPage }: ManageRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  reading: Reading,
  outcome: ActionOutcome | undefined,
): Promise<FastifyReply> {
  const { poll } = reading;
  const secret = await readSecret();
  const keyTokens = {
    view: sealKeyToken(secret, 'view', poll.id),
    admin: sealKeyToken(secret, 'admin', poll.id),
  };
  const made = { viewKeyToken: undefined, adminKeyToken: undefined, ...outcome };
  const shownKey = (kind: RenewedKey, token: string | undefined) =>
    token === undefined ? undefined : keyFrom(secret, kind, token, poll.id);
  const viewKey = shownKey('view', made.viewKeyToken);
  const adminKey = shownKey('admin', made.adminKeyToken);
  const comments = poll.settings.allowComments ? await engine.comments.list(poll.id) : undefined;
  const phrases = phrasesFor(request);
  const [screens = 0] = await countAudience(engine.records, [poll.id]);
  const code = votingQr(phrases, `${voteUrl}/${poll.id}`);
  const shown = { outcome, viewKey, adminKey, comments, keyTokens, screens, code };
  const page = managePage({ phrases, reading, ...shown }, { relayUrl, voteUrl });
  return sendPage(reply, outcome && 'refused' in outcome ? 400 : 200, page);
}

function isRemoved(outcome: ActionOutcome | undefined): boolean {
  return outcome !== undefined && 'done' in outcome && outcome.done === 'removed';
}

function removedPage(phrases: Phrases): Page {
  const notice = outcomeNotice(phrases, { done: 'removed' });
  return {
    phrases,
    title: `${notice.title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['page.js'],
    body: html`<h1 class="visually-hidden">${SITE_NAME}</h1>${noticeBox(notice)}
<p class="actions"><a class="button quiet" href="/">${phrases.refusal.toStart}</a></p>`,
  };
}
