import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countViewers } from '../../engine/audience.ts';
import { EvidenceReads } from '../../engine/evidence.ts';
import { readRejectedBallots } from '../../engine/rejected-ballots.ts';
import { callerAddress } from '../../http/caller.ts';
import { EVENT_BYTES } from '../../http/rate-limit.ts';
import { phrasesFor } from '../../locales/phrases.ts';
import { POLL_PATH, type PollParams } from '../../pages/guard/known-polls.ts';
import { countWrongKey, LARGE_BODY_BYTES } from '../../pages/guard/rate-limit.ts';
import { Rejection } from '../../pages/guard/rejection.ts';
import { formText } from '../../pages/page/form-text.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import { takesChat } from '../../poll/chat-link.ts';
import { MAX_ANSWER_IMAGE_BYTES } from '../../poll/image-size.ts';
import { idOfRound, nameOfRound, type Poll, type Reading } from '../../poll/poll.ts';
import { hashKey, sameDigest } from '../../poll/poll-key.ts';
import { ownsPoll } from '../../show/show.ts';
import { imageOf } from '../editor/edit-poll.ts';
import { ballotsCsv, namesPage } from './ballot-list.ts';
import { ballotsPage, countingPage } from './ballots-page.ts';
import {
  ACTIONS,
  type ActionDependencies,
  type ActionFields,
  type ActionOutcome,
  BALLOT_ACTIONS,
  changePicture,
  deriveKey,
  editablePoll,
  encodePicture,
  PATIENCE_MS,
  type RejectedEdit,
  readKeyToken,
  sealKeyToken,
} from './manage-actions.ts';
import { ManageFeed } from './manage-feed.ts';
import { forgottenPage, keyPage, managePage, removedPage } from './manage-page.ts';
import { type ManageSession, ManageSessions, managePath } from './manage-session.ts';

const MANAGE_PATH = `${POLL_PATH}/manage`;
const MAX_KEY_LENGTH = 512;
const RELOAD_SECONDS = 1;
/** All texts of a large poll, and a picture. */
const FORM_BYTES = LARGE_BODY_BYTES + MAX_ANSWER_IMAGE_BYTES;

interface RoundParams extends PollParams {
  readonly Querystring: { readonly round?: unknown };
}

interface Managed {
  readonly reading: Reading;
  readonly session: ManageSession;
}

interface ManageDependencies extends PageDependencies {
  readonly sessions: ManageSessions;
  readonly feed: ManageFeed;
  readonly evidences: EvidenceReads;
}

export async function manageRoutes(server: FastifyInstance, options: PageDependencies): Promise<void> {
  const sessions = new ManageSessions(options);
  const feed = new ManageFeed(options.engine);
  server.addHook('preClose', async () => feed.close());
  const evidences = new EvidenceReads(options.engine.polls, PATIENCE_MS);
  const services = { ...options, sessions, feed, evidences };
  await server.register(pageRoutes, services);
  await server.register(ballotPageRoutes, services);
  await server.register(actionRoutes, services);
  await server.register(pictureRoute, services);
}

async function pageRoutes(server: FastifyInstance, services: ManageDependencies): Promise<void> {
  const { polls, viewers, sessions, streams, feed, counts, limits, sendPage } = services;

  server.get<PollParams>(MANAGE_PATH, async (request, reply) => {
    const reading = await polls.read(request.params.id);
    await viewers.findOrCreate(request, reply);
    const session = await sessions.find(request, reading);
    if (!session) return sendPage(reply, 200, keyPage(phrasesFor(request), reading.poll.id, false));
    return sendManagePage(services, request, reply, { reading, session });
  });

  server.post<PollParams>(`${MANAGE_PATH}/key`, async (request, reply) => {
    const reading = await polls.read(request.params.id);
    const key = formText(request.body, 'key');
    if (key.length <= MAX_KEY_LENGTH && (await sessions.open(reply, reading, key.trim())))
      return reply.redirect(managePath(reading.poll.id), 303);
    countWrongKey(request, counts, limits);
    return sendPage(reply, 403, keyPage(phrasesFor(request), reading.poll.id, true));
  });

  server.get<PollParams>(`${MANAGE_PATH}/live`, { exposeHeadRoute: false }, async (request, reply) => {
    const { reading } = await readManaged(services, request);
    const viewer = await viewers.find(request);
    const stream = streams.open(request, reply, viewer?.voter);
    sessions.endWithKey(request, reading, stream);
    feed.add(reading, stream);
  });
}

async function ballotPageRoutes(server: FastifyInstance, services: ManageDependencies): Promise<void> {
  const { engine, polls, evidences, sessions, sendPage, turns } = services;

  server.get<RoundParams>(`${MANAGE_PATH}/ballots.csv`, async (request, reply) => {
    const { reading: present } = await readManaged(services, request);
    const { poll } = await polls.readRound(present, request.query.round);
    const { id, round = 1 } = poll;
    const storedId = round === (present.poll.round ?? 1) ? id : idOfRound(id, round);
    return reply
      .headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="ballots-${nameOfRound(poll)}.csv"`,
        'cache-control': 'private, no-store',
      })
      .send(Readable.from(ballotsCsv(engine.polls, poll, storedId, () => turns.take(request))));
  });

  server.get<PollParams>(`${MANAGE_PATH}/names`, async (request, reply) => {
    const { poll } = (await readManaged(services, request)).reading;
    if (!poll.settings.requireName) throw new Rejection('page_not_found');
    return sendPage(reply, 200, await namesPage(phrasesFor(request), engine.polls, poll));
  });

  server.get<PollParams>(`${MANAGE_PATH}/ballots`, async (request, reply) => {
    const { poll } = (await readManaged(services, request)).reading;
    const phrases = phrasesFor(request);
    const evidence = await evidences.find(poll);
    if (!evidence) throw new Rejection('poll_not_found');
    if (evidence === 'late') {
      reply.header('refresh', RELOAD_SECONDS);
      return sendPage(reply, 200, countingPage(phrases));
    }
    const outcome = await sessions.takeOutcome(request, reply, poll.id);
    const hasChat = await linksChat(services, poll);
    await turns.take(request);
    return sendPage(reply, statusOf(outcome), ballotsPage({ phrases, poll, evidence, hasChat, outcome }));
  });
}

async function actionRoutes(server: FastifyInstance, services: ManageDependencies): Promise<void> {
  const { engine, polls, secret: readSecret, sessions, sendPage } = services;

  server.get<PollParams>(`${MANAGE_PATH}/deleted`, async (request, reply) => {
    const outcome = await sessions.takeOutcome(request, reply, request.params.id);
    if (!isRemoved(outcome)) return reply.redirect(managePath(request.params.id), 303);
    return sendPage(reply, 200, removedPage(phrasesFor(request)));
  });

  // A reload or a bookmark of a form's address.
  server.get<PollParams>(`${MANAGE_PATH}/:action`, async (request, reply) =>
    reply.redirect(managePath(request.params.id), 303),
  );

  server.post<PollParams & { Body: ActionFields | undefined }>(
    `${MANAGE_PATH}/admin-key`,
    async (request, reply) => {
      const reading = await polls.read(request.params.id);
      const { id } = reading.poll;
      const secret = await readSecret();
      const token = readKeyToken(secret, 'admin', id, request.body ?? {});
      const adminKey = token === undefined ? '' : deriveKey(secret, 'admin', token, id);
      const adminKeyHash = hashKey(adminKey);
      // A second click on the form comes with the session that the first one ended.
      const isRenewed = sameDigest(adminKeyHash, reading.keys.adminKeyHash);
      if (!isRenewed && !(await sessions.find(request, reading))) throw new Rejection('not_managing');
      if (token === undefined) {
        await sessions.storeOutcome(reply, id, { refused: 'page_stale' });
        return reply.redirect(managePath(id), 303);
      }
      if (!isRenewed) {
        await spend(services, `poll ${id}`);
        await engine.polls.change(id, { adminKeyHash });
      }
      const renewed = { ...reading, keys: { ...reading.keys, adminKeyHash } };
      await sessions.open(reply, renewed, adminKey, await sessions.read(request, id));
      await sessions.storeOutcome(reply, id, { done: 'new_admin_key' });
      return reply.redirect(managePath(id), 303);
    },
  );

  server.post<PollParams>(`${MANAGE_PATH}/forget`, async (request, reply) => {
    const reading = await polls.read(request.params.id);
    const session = await sessions.find(request, reading);
    if (!session) return reply.redirect(managePath(reading.poll.id), 303);
    sessions.close(reply, reading.poll.id);
    return sendPage(reply, 200, forgottenPage(phrasesFor(request), services, reading.poll, session));
  });

  server.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, readForm);
  server.post<PollParams & { Params: { action: string }; Body: ActionFields | undefined }>(
    `${MANAGE_PATH}/:action`,
    { bodyLimit: FORM_BYTES, ...managed(services) },
    async (request, reply) => {
      const action = Object.hasOwn(ACTIONS, request.params.action)
        ? ACTIONS[request.params.action]
        : undefined;
      if (!action) throw new Rejection('page_not_found');
      const { reading, session } = await readManaged(services, request);
      // Creating the poll has paid for its deletion.
      if (request.params.action !== 'delete') await spend(services, `poll ${reading.poll.id}`);
      const outcome = await action(toolsFor(services, request), reading, request.body ?? {});
      // The page with what was typed is no page to come back to.
      if ('filled' in outcome) return sendManagePage(services, request, reply, { reading, session }, outcome);
      const path = managePath(reading.poll.id);
      await sessions.storeOutcome(reply, reading.poll.id, outcome);
      if (BALLOT_ACTIONS.has(request.params.action)) {
        services.evidences.forget(reading.poll);
        return reply.redirect(`${path}/ballots`, 303);
      }
      if (!isRemoved(outcome)) return reply.redirect(path, 303);
      sessions.close(reply, reading.poll.id);
      return reply.redirect(`${path}/deleted`, 303);
    },
  );
}

/** Pictures take effect at once: they are no correction. */
async function pictureRoute(server: FastifyInstance, services: ManageDependencies): Promise<void> {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  server.post<PollParams & { Params: { owner: string }; Body: Buffer | undefined }>(
    `${MANAGE_PATH}/picture/:owner`,
    { bodyLimit: MAX_ANSWER_IMAGE_BYTES, ...managed(services) },
    async (request, reply) => {
      const { poll } = (await readManaged(services, request)).reading;
      const { owner } = request.params;
      const image = request.body?.length ? await encodePicture(request.body) : undefined;
      await spend(services, `poll ${poll.id}`);
      const { before, after } = await changePicture(toolsFor(services, request), poll.id, owner, image);
      return reply.header('cache-control', 'private, no-store').send({
        image: imageOf(editablePoll(after), owner),
        editionBefore: before.edition ?? '',
        edition: after.edition ?? '',
      });
    },
  );
}

/** What an action of one request uses. */
function toolsFor(services: ManageDependencies, request: FastifyRequest): ActionDependencies {
  return { ...services, spend: bytes => spend(services, callerAddress(request), bytes) };
}

/**
 * The poll pays for the event of a change, so that no neighbor at its creator's address uses that
 * up, and the address for what grows the poll.
 *
 * @throws Rejection `rate_limited`
 */
async function spend({ budget }: ManageDependencies, payer: string, bytes = EVENT_BYTES): Promise<void> {
  const retryAfterSeconds = await budget.take(payer, bytes);
  if (retryAfterSeconds !== undefined) throw new Rejection('rate_limited', { retryAfterSeconds });
}

/** Without a session, no body is read. */
function managed(services: ManageDependencies) {
  return {
    onRequest: async (request: FastifyRequest) => {
      await readManaged(services, request as FastifyRequest<PollParams>);
    },
  };
}

/** A form with a file. @throws Rejection `bad_request` */
async function readForm({ headers }: FastifyRequest, body: Buffer): Promise<ActionFields> {
  const type = { 'content-type': `${headers['content-type']}` };
  try {
    const form = await new Response(new Uint8Array(body), { headers: type }).formData();
    const single = (values: readonly unknown[]) => (values.length === 1 ? values[0] : values);
    return Object.fromEntries([...form.keys()].map(name => [name, single(form.getAll(name))]));
  } catch (cause) {
    throw new Rejection('bad_request', { cause });
  }
}

async function readManaged(
  { polls, sessions }: ManageDependencies,
  request: FastifyRequest<PollParams>,
): Promise<Managed> {
  const reading = await polls.read(request.params.id);
  const session = await sessions.find(request, reading);
  if (!session) throw new Rejection('not_managing');
  return { reading, session };
}

/** Whether the show of a poll links a chat that counts for it. */
async function linksChat({ shows }: ManageDependencies, poll: Poll): Promise<boolean> {
  if (!poll.show || !takesChat(poll)) return false;
  const show = await shows.find(poll.show.name);
  return show !== undefined && ownsPoll(show, poll.show) && show.chat !== undefined;
}

async function sendManagePage(
  services: ManageDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { reading, session }: Managed,
  rejectedEdit?: RejectedEdit,
): Promise<FastifyReply> {
  const { engine, secret: readSecret, sessions, relayUrl, voteUrl, signInReady, sendPage, turns } = services;
  const { id, settings } = reading.poll;
  // The outcome is for the page after the form. An open page that refreshes itself may be faster.
  const { refresh } = request.query as { refresh?: unknown };
  const outcome =
    rejectedEdit ?? (refresh === undefined ? await sessions.takeOutcome(request, reply, id) : undefined);
  const secret = await readSecret();
  const { viewKeyToken } = { viewKeyToken: undefined, ...outcome };
  const [screens = 0] = await countViewers(engine.records, [id]);
  const [rejected] = await readRejectedBallots(engine.records, [id]);
  await turns.take(request);
  const view = {
    phrases: phrasesFor(request),
    reading,
    outcome,
    session,
    viewKey: viewKeyToken && deriveKey(secret, 'view', viewKeyToken, id),
    comments: settings.allowComments ? await engine.comments.list(id) : undefined,
    keyTokens: { view: sealKeyToken(secret, 'view', id), admin: sealKeyToken(secret, 'admin', id) },
    screens,
    signInReady,
    rejected: rejected!,
    hasChat: await linksChat(services, reading.poll),
    relayUrl,
    voteUrl,
  };
  return sendPage(reply, statusOf(outcome), managePage(view));
}

function statusOf(outcome: ActionOutcome | undefined): number {
  return outcome && !('done' in outcome) ? 400 : 200;
}

function isRemoved(outcome: ActionOutcome | undefined): boolean {
  return outcome !== undefined && 'done' in outcome && outcome.done === 'removed';
}
