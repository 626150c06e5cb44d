import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { changePoll } from '../engine/with-rehearsal.ts';
import { keyOfRequest } from '../http/caller.ts';
import { requireMatch } from '../http/entity-tag.ts';
import { bytesOfPoll, EVENT_BYTES } from '../http/rate-limit.ts';
import { planCorrection, type WantedWording } from '../poll/correct-poll.ts';
import {
  createAnswerId,
  createEdition,
  type PollOrigin,
  type PollSeed,
  type PollWithKeys,
  pollFromSeed,
} from '../poll/create-poll.ts';
import { isPollId, type PollId, type Reading } from '../poll/poll.ts';
import { type Correction, type PollChange, planChange, type WantedState } from '../poll/poll-change.ts';
import { invalidRequest, PollError, parseOrThrow } from '../poll/poll-error.ts';
import { authorizeManage, authorizeMissing, createKey, hashKey, sameDigest } from '../poll/poll-key.ts';
import { writtenMembers } from '../poll/poll-members.ts';
import { changePollBody, checkDraft, createPollBody, type PollDraft } from '../poll/poll-schema.ts';
import { originOfTwin, REHEARSAL_ID } from '../poll/rehearsal.ts';
import { positionOf, resultsBody, secondsOf, timeOrNull, writtenAnswers } from '../protocol/results-body.ts';
import { drawSeed, joinCodeFor } from '../show/join-codes.ts';
import { keysOf } from '../show/show.ts';
import { recordEdit, takeWinnerBack } from '../show/shows.ts';
import type { ApiOptions } from './api-options.ts';
import { limitCallers, type WritingOptions } from './creation.ts';
import { ignoreBody } from './json-body.ts';
import { created, json, type Links, type Outline } from './outline.ts';
import { etagOfDefinition } from './poll-definition.ts';
import { type PollParams, requirePoll } from './poll-request.ts';
import { rejectExpired } from './request-rules.ts';

const PATH = '/api/poll/:id';

export async function pollRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  await app.register(creatingRoute, options);
  await app.register(changingRoute, options);
  await app.register(bodilessRoutes, options);
}

/** `POST /api/poll`. */
async function creatingRoute(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, creation } = options;
  const route = { onRequest: creation.limit, config: { outline: CREATE_POLL } };
  app.post('/api/poll', route, async (request, reply) => {
    const origin = { emptyRetentionMs: creation.emptyRetentionMs(request) };
    const seed = await creation.once(request, {
      draw: () => drawPoll(request.body, options),
      async store(drawn) {
        const { created } = pollOf(request.body, drawn, origin);
        await creation.spend(request, bytesOfPoll(created.poll));
        // Does nothing if the poll exists already.
        await engine.polls.create(created);
      },
    });
    return createdReply(reply, pollOf(request.body, seed, origin), options);
  });
}

/** `PATCH /api/poll/<id>`. */
async function changingRoute(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, readPoll, creation, isOperatorKey } = options;
  const route = { onRequest: limitCallers('changes', options), config: { outline: CHANGE_POLL } };

  app.patch<PollParams>(PATH, route, async (request, reply) => {
    // Planned again if another change, or the first ballot, was faster. A poll that is gone is not found then.
    while (!(await changeAsWanted(request, reply)));
    const now = await requirePoll(readPoll, request.params.id);
    return changedBody(reply, now);
  });

  async function changeAsWanted(request: FastifyRequest<PollParams>, reply: FastifyReply): Promise<boolean> {
    const reading = await readManaged(request, reply, options);
    const { id } = request.params;
    const wanted = parseOrThrow(changePollBody, request.body);
    requireSignIn(wanted.requireSignIn ?? false, options);
    const stateChange = stateChangeOf(reading, wanted);
    const joinCode = await joinCodeFor(engine, reading.poll, wanted);
    const correction = correctionOf(reading, wanted, joinCode, stateChange);
    if (!stateChange && !correction) return true;
    const what = { ...stateChange, correction, expected: reading.results };
    const growth = correction ? bytesOfPoll(correction.after) - bytesOfPoll(correction.before) : 0;
    await creation.spend(request, EVENT_BYTES + Math.max(growth, 0));
    rejectExpired(request);
    const isChanged = await changePoll(engine, id, what);
    if (isChanged && stateChange) await takeWinnerBack(engine, id, reading.poll.show?.name);
    if (isChanged && correction)
      await recordEdit(engine, correction, { key: keyOfRequest(request), isOperatorKey });
    return isChanged;
  }
}

/** The reply with a changed poll. */
export function changedBody(reply: FastifyReply, now: Reading): object {
  reply.headers({ etag: etagOfDefinition(now), 'cache-control': 'no-store' });
  return { ...resultsBody(now), ...writtenMembers(now.poll) };
}

/** `POST /api/poll/<id>/view_key` and `/admin_key`, `DELETE /api/poll/<id>`. */
async function bodilessRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, voteUrl, creation } = options;
  const onRequest = limitCallers('changes', options);
  ignoreBody(app);

  async function changeKeys(request: FastifyRequest, id: string, keys: PollChange): Promise<void> {
    rejectExpired(request);
    if (!(await engine.polls.change(id, keys))) throw new PollError('poll_not_found');
  }

  const viewKeyRoute = { onRequest, config: { outline: RENEW_VIEW_KEY } };
  app.post<PollParams>(`${PATH}/view_key`, viewKeyRoute, async (request, reply) => {
    const { id } = (await readManaged(request, reply, options)).poll;
    const viewKey = createKey('view');
    await changeKeys(request, id, { viewKeyHash: hashKey(viewKey) });
    reply.header('cache-control', 'no-store');
    return { success: 1, id, view_key: viewKey };
  });

  const adminKeyRoute = { onRequest, config: { outline: RENEW_ADMIN_KEY } };
  app.post<PollParams>(`${PATH}/admin_key`, adminKeyRoute, async (request, reply) => {
    const { id } = request.params;
    rejectSimulated(id, request, reply);
    // Afterwards the old key only gets the same reply under the same Idempotency-Key.
    const caller = `admin_key ${id} ${keyOfRequest(request)?.hash}`;
    const adminKey = await creation.onceFor(caller, request, {
      draw: async () => createKey('admin'),
      async store(key) {
        const adminKeyHash = hashKey(key);
        const known = isPollId(id) ? await engine.polls.find(id) : undefined;
        if (known && sameDigest(known.keys.adminKeyHash, adminKeyHash)) return;
        await readManaged(request, reply, options);
        await creation.spend(request, 0);
        await changeKeys(request, id, { adminKeyHash });
      },
    });
    reply.header('cache-control', 'no-store');
    return { success: 1, id, admin_key: adminKey, links: { manage: manageLink(voteUrl, id, adminKey) } };
  });

  const deleteRoute = { onRequest, config: { outline: DELETE_POLL } };
  app.delete<PollParams>(PATH, deleteRoute, async (request, reply) => {
    const { id } = (await readManaged(request, reply, options)).poll;
    rejectExpired(request);
    if (!(await engine.polls.remove(id))) throw new PollError('poll_not_found');
    reply.header('cache-control', 'no-store');
    return { success: 1, id };
  });
}

/** What a change that is not possible gets: the code, the place of the fault, and what is wrong there. */
const FAULTS = {
  deadline_in_past: ['invalid_request', 'poll.deadline', 'must be in the future'],
  deadline_missing: ['deadline_missing', 'poll.results_visibility', 'after_deadline needs a deadline'],
  ballots_cast: ['ballots_cast', 'poll.answers', 'must have the ids of all answers, in their order'],
  choices_impossible: ['choices_impossible', 'poll.answers', 'must be at least as many as a ballot may have'],
  multiple_missing: [
    'choices_impossible',
    'poll.ma',
    'is off, and limits need several answers in one ballot',
  ],
  log_missing: ['invalid_request', 'poll.show_log_size', 'needs a log: send verifiable as well'],
  show_unlisted: ['invalid_request', 'poll.priv', 'must be true: polls of a show are not listed'],
} as const;

function errorOf(fault: keyof typeof FAULTS): PollError {
  const [code, path, message] = FAULTS[fault];
  return new PollError(code, { issues: [{ path, message }] });
}

function rulesFixed(rules: readonly string[]): PollError {
  return new PollError('ballots_cast', {
    message: `This poll has votes, so its rules are fixed: ${rules.join(', ')}. Nothing was changed.`,
    issues: rules.map(rule => ({ path: `poll.${rule}`, message: 'cannot change after the first ballot' })),
  });
}

/** @throws PollError `invalid_request`, `deadline_missing`, `deadline_passed` */
function stateChangeOf({ results }: Reading, wanted: WantedState): PollChange | undefined {
  const { change, fault } = planChange(results, wanted);
  if (fault === 'deadline_passed') throw new PollError(fault);
  if (fault) throw errorOf(fault);
  return change;
}

/** @throws PollError `answer_not_found`, `ballots_cast`, `choices_impossible`, `invalid_request` */
function correctionOf(
  reading: Reading,
  wanted: WantedWording,
  joinCode: string | undefined,
  change: PollChange | undefined,
): Correction | undefined {
  const fresh = { edition: createEdition(), createAnswerId, joinCode };
  const planned = planCorrection(reading, wanted, fresh, change);
  if (planned.fault === 'unknown_answer')
    throw new PollError('answer_not_found', {
      issues: [
        { path: `poll.answers.${planned.index}.id`, message: 'is not the id of an answer of this poll' },
      ],
    });
  if (planned.fault === 'rules_fixed') throw rulesFixed(planned.rules);
  if (planned.fault) throw errorOf(planned.fault);
  if (planned.correction && reading.poll.rehearsal)
    throw new PollError('invalid_request', {
      issues: [{ path: 'poll', message: 'of a rehearsal has the texts of its poll: correct that one' }],
    });
  return planned.correction;
}

/** @throws PollError `invalid_request` */
export async function drawPoll(body: unknown, options: ApiOptions): Promise<PollSeed> {
  const { engine } = options;
  const nowMs = await engine.polls.now();
  const draft = draftOf(body, nowMs);
  requireSignIn(draft.only_reg, options);
  return drawSeed(engine, draft, nowMs);
}

/** @throws PollError `invalid_request` for a poll that needs a sign-in without a provider */
export function requireSignIn(isNeeded: boolean, { lacksSignIn }: Pick<ApiOptions, 'lacksSignIn'>): void {
  if (!lacksSignIn || !isNeeded) return;
  const message = 'needs a sign-in provider, and none is configured (OIDC_ISSUER)';
  throw new PollError('invalid_request', { issues: [{ path: 'poll.only_reg', message }] });
}

/** The poll of a body: the same one for the same seed. @throws PollError `invalid_request` */
export function pollOf(body: unknown, seed: PollSeed, origin: PollOrigin): PollWithKeys {
  return pollFromSeed(draftOf(body, seed.created.poll.createdAtMs), seed, origin);
}

/** @throws PollError `invalid_request` */
export function draftOf(body: unknown, nowMs: number): PollDraft {
  const checked = checkDraft(body, nowMs);
  if (!checked.success) throw invalidRequest(checked.error);
  return checked.data.poll;
}

export function createdReply(
  reply: FastifyReply,
  { created, adminKey, viewKey }: PollWithKeys,
  { relayUrl, voteUrl }: ApiOptions,
): object {
  const { id } = created.poll;
  reply.code(201).headers({ location: `/api/poll/${id}`, 'cache-control': 'no-store' });
  return {
    success: 1,
    id,
    content_id: id,
    admin_key: adminKey,
    view_key: viewKey,
    poll_answers: writtenAnswers(created.poll),
    deadline: timeOrNull(created.deadlineMs),
    closes_in: secondsOf(created.closesInMs),
    status: created.upcoming ? 'upcoming' : 'open',
    join_code: created.poll.joinCode,
    links: {
      results: `${relayUrl}/api/poll/${id}`,
      live: `${relayUrl.replace(/^http/, 'ws')}/api/poll/${id}/live`,
      overlay: `${relayUrl}/overlay/${id}`,
      vote: `${voteUrl}/${id}`,
      manage: manageLink(voteUrl, id, adminKey),
      qr: `${relayUrl}/api/poll/${id}/qr.svg`,
    },
  };
}

/** The key is in the fragment, which browsers do not send to servers. */
function manageLink(voteUrl: string, id: PollId, adminKey: string): string {
  return `${voteUrl}/${id}/manage#key=${adminKey}`;
}

/** Reads a poll for a caller that may change it. @throws PollError */
export async function readManaged(
  request: FastifyRequest<PollParams>,
  reply: FastifyReply,
  { engine, readPoll, isOperatorKey }: ApiOptions,
): Promise<Reading> {
  const { id } = request.params;
  rejectSimulated(id, request, reply);
  const reading = isPollId(originOfTwin(id) ?? id) ? await readPoll(id) : undefined;
  const key = keyOfRequest(request);
  const access = reading
    ? authorizeManage(key, await keysOf(engine, reading), isOperatorKey)
    : authorizeMissing(key, isOperatorKey);
  if (access === 'absent')
    throw new PollError('api_key_required', {
      message:
        'Changing a poll needs its admin_key, the key of the show that owns it, or an operator’s API key.',
    });
  if (access === 'rejected')
    throw new PollError('api_key_rejected', {
      message:
        'This key can’t change this poll. Send its admin_key or the key of the show that owns it in a header; a view_key only reads.',
    });
  if (!reading) throw new PollError('poll_not_found');
  requireMatch(request, () => [etagOfDefinition(reading), `W/"${positionOf(reading)}"`]);
  return reading;
}

/** A twin can be changed like its poll, but not deleted, and it has the keys of the poll. */
function rejectSimulated(id: string, request: FastifyRequest, reply: FastifyReply): void {
  const isTwin = originOfTwin(id) !== undefined;
  if (id !== REHEARSAL_ID && (!isTwin || request.method === 'PATCH')) return;
  const isPoll = request.routeOptions.url === PATH;
  reply.header('allow', isPoll ? (isTwin ? 'GET, HEAD, PATCH' : 'GET, HEAD') : '');
  throw new PollError('method_not_allowed', {
    message: isTwin
      ? 'This is the rehearsal of a poll. It can be opened, closed and shown, but not deleted, and it has no keys of its own.'
      : 'The rehearsal poll is simulated. It can be read and watched, but not changed.',
  });
}

export const NEW_POLL = { title: 'Which song next?', answers: ['Waterloo', 'Volare'] };

export const POLL_LINKS: Links = {
  parameter: 'id',
  key: 'admin_key',
  operations: {
    read: 'readPoll',
    change: 'changePoll',
    renewViewKey: 'renewViewKey',
    renewAdminKey: 'renewAdminKey',
    copy: 'copyPoll',
    again: 'beginNextRound',
    delete: 'deletePoll',
  },
};

const CREATE_POLL: Outline = {
  id: 'createPoll',
  summary: 'Create a poll',
  description:
    'Needs an operator’s API key if the operator has set `CREATE_REQUIRES_KEY`. The reply contains the keys of the poll, which are shown only once. One address can store a limited amount per day, and a poll without a ballot is deleted 30 days after its creation or deadline by default. Neither applies with an operator’s key.',
  key: 'optional',
  takes: ['secret'],
  body: { schema: createPollBody, example: { poll: NEW_POLL } },
  replies: { 201: created('The poll was created.', 'CreatedPoll', POLL_LINKS) },
};

const CHANGE_POLL: Outline = {
  id: 'changePoll',
  summary: 'Open, close, hide, reveal, edit, or change the deadline',
  description:
    'Needs the poll’s `admin_key` or an operator’s key in a header. Absent members stay as they are. Repeating the request changes nothing, except for `closes_in`. All screens are updated at once.\n\nUntil the first ballot answers and rules may change, too; afterwards that is 409 `ballots_cast`, and a text that changes is a public correction: results then have `edited_at`, and the voting page shows the earlier wording. A first ballot at the same moment comes before the change, which is then rejected, or meets the new rules.\n\nWith `If-Match` and the `ETag` of the definition (or of the results), the request changes nothing if the poll is not as it was then: 412 `precondition_failed`. Every write to a poll or a show takes it; a show has its `version` as `ETag`. It is not listed as a parameter, because it only fits what was read before.',
  body: { schema: changePollBody, example: { poll: { status: 'closed' } } },
  replies: { 200: json('The changed poll.', 'ChangedResults', { headers: 'matched' }) },
  errors: ['deadline_missing', 'deadline_passed', 'ballots_cast', 'choices_impossible', 'answer_not_found'],
};

const RENEW_VIEW_KEY: Outline = {
  id: 'renewViewKey',
  summary: 'Replace the view key',
  description: 'The old key stops working at once.',
  replies: { 200: json('The new key, shown only once.', 'NewViewKey') },
};

const RENEW_ADMIN_KEY: Outline = {
  id: 'renewAdminKey',
  summary: 'Replace the admin key',
  description:
    'The old key stops working at once, including sessions and live streams opened with it. Send an `Idempotency-Key`: if the reply is lost, the same request with the old key returns the new key again.',
  takes: ['secret'],
  replies: { 200: json('The new key, shown only once.', 'NewAdminKey') },
};

const DELETE_POLL: Outline = {
  id: 'deletePoll',
  summary: 'Delete a poll',
  description: 'With all ballots, names and comments. Live streams end with close code 4410.',
  replies: { 200: json('The poll was deleted.', 'DeletedPoll') },
};
