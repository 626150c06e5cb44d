import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countShowAudience } from '../engine/audience.ts';
import { readRejectedBallots } from '../engine/rejected-ballots.ts';
import { keyInHeader, keyOfRequest } from '../http/caller.ts';
import { decrypt, encrypt } from '../http/encrypted-text.ts';
import { requireMatch } from '../http/entity-tag.ts';
import { bytesOfPoll, bytesOfRound, EVENT_BYTES, SHOW_BYTES } from '../http/rate-limit.ts';
import type { ChatLink } from '../poll/chat-link.ts';
import { drawRound } from '../poll/next-round.ts';
import { areResultsPublic, type NextRound, type Reading } from '../poll/poll.ts';
import { PollError, parseOrThrow } from '../poll/poll-error.ts';
import { authorizeManage, createKey, hashKey, sameDigest } from '../poll/poll-key.ts';
import { publicMembers, writtenMembers } from '../poll/poll-members.ts';
import { createPollBody } from '../poll/poll-schema.ts';
import { resultsBody } from '../protocol/results-body.ts';
import { claimChannels, type ReportedLink, readChatReports } from '../show/chat-links.ts';
import { drawJoinCode, ownerShow } from '../show/join-codes.ts';
import {
  authorizeShow,
  etagOfShow,
  pressOf,
  readShow,
  rewriteShow,
  type ShowAccess,
  type ShowRequest,
} from '../show/rewrite-show.ts';
import { keysOf, type StoredShow } from '../show/show.ts';
import { readButtons } from '../show/show-buttons.ts';
import { imagePaths } from '../show/show-images.ts';
import {
  BUTTONS,
  type Button,
  changeShowBody,
  createShowBody,
  pressBody,
  type SeenShow,
  type WantedPress,
} from '../show/show-schema.ts';
import {
  addPoll,
  changeShow,
  createShow,
  createShowId,
  findUndo,
  openShow,
  pressAgain,
  pressPoll,
  removeShow,
  renewShowKey,
  stepShow,
  type Undo,
  undoShow,
} from '../show/shows.ts';
import { winnerOnAir } from '../show/winner.ts';
import type { ApiOptions } from './api-options.ts';
import { limitCallers, readIdempotencyKey, type WritingOptions } from './creation.ts';
import { acceptOptionalJson } from './json-body.ts';
import { BODY_ERRORS, created, json, type Links, type Outline } from './outline.ts';
import { createdReply, draftOf, drawPoll, NEW_POLL, pollOf } from './poll-routes.ts';
import { rejectExpired } from './request-rules.ts';

/** `POST /api/show`, and reading and changing `/api/show/<name>`. */

const PATH = '/api/show/:name';
export const PRIVATE = 'private, no-store';

export interface ShowParams {
  readonly Params: { readonly name: string };
}

export async function showRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  await app.register(creatingRoutes, options);
  await app.register(readingRoutes, options);
  await app.register(changingRoutes, options);
  await app.register(buttonRoutes, options);
  await app.register(keyRoutes, options);
}

/** `POST /api/show` and `POST /api/show/<name>/poll`. */
async function creatingRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, creation } = options;

  const showRoute = { onRequest: creation.limit, config: { outline: CREATE_SHOW } };
  app.post('/api/show', showRoute, async (request, reply) => {
    const isKept = creation.isOperator(request);
    const drawn = await creation.once(request, {
      async draw() {
        const { join_code, ...show } = parseOrThrow(createShowBody, request.body).show;
        const id = createShowId();
        const joinCode = join_code ? await drawJoinCode(engine, ownerShow(show.name, id)) : undefined;
        return { ...show, id, joinCode, showKey: createKey('show'), viewKey: createKey('show_view') };
      },
      async store(drawn) {
        await creation.spend(request, SHOW_BYTES);
        const { showKey, ...show } = drawn;
        const viewKey = sealViewKey(drawn.viewKey, showKey);
        await createShow(engine, { ...show, viewKey }, hashKey(showKey), isKept);
      },
    });
    return createdShowReply(reply, drawn, options);
  });

  const pollRoute = { onRequest: creation.limit, config: { outline: CREATE_POLL_OF_SHOW } };
  app.post<ShowParams>(`${PATH}/poll`, pollRoute, async (request, reply) => {
    const access = accessOf(request, options);
    // A repeated request is answered also after its time.
    const timeless = { ...access, rejectExpired: undefined };
    const { owner: show, isKept } = await openShow(engine, request.params.name, timeless);
    // Polls of an operator's show are kept like polls created with an operator key.
    const origin = { show, emptyRetentionMs: isKept ? undefined : creation.emptyRetentionMs(request) };
    const seed = await creation.onceFor(`show ${show.id}`, request, {
      draw: () => drawPoll(request.body, options),
      async store(drawn) {
        const { created } = pollOf(request.body, drawn, origin);
        await creation.spend(request, bytesOfPoll(created.poll));
        await addPoll(engine, created, access);
      },
    });
    return createdReply(reply, pollOf(request.body, seed, origin), options);
  });
}

/** `GET /api/show/<name>` and `/buttons`. */
async function readingRoutes(app: FastifyInstance, options: ApiOptions): Promise<void> {
  const { engine } = options;

  app.get<ShowParams>(PATH, { config: { outline: READ_SHOW } }, async (request, reply) => {
    const { name } = request.params;
    const access = accessOf(request, options);
    const found = await readShow(engine, name);
    if (!access.key) {
      reply.header('cache-control', 'no-cache');
      return publicBody(name, found);
    }
    // An error, because callers with a wrong key would not notice that members are missing.
    authorizeShow(found, access, 'read');
    const stored = await withViewKey(request, found, options);
    reply.headers({ etag: etagOfShow(stored), 'cache-control': PRIVATE });
    const audience = await countShowAudience(engine.records, name, stored.onAir);
    const own = stored.own.filter(id => id === stored.onAir);
    const [rejected] = await readRejectedBallots(engine.records, own);
    const chat = await readChatReports(engine, stored);
    return {
      ...(await wholeBody(engine, name, stored)),
      view_key: openViewKey(stored, keyInHeader(request)),
      ...audience,
      chat_state: chat.map(chatStateBody),
      rejected,
      now: Date.now() / 1_000,
    };
  });

  const buttonsRoute = { config: { outline: READ_BUTTONS } };
  app.get<ShowParams>(`${PATH}/buttons`, buttonsRoute, async (request, reply) => {
    const access = accessOf(request, options);
    const { name } = request.params;
    const stored = await readShow(engine, name, access);
    authorizeShow(stored, access, 'read');
    reply.header('cache-control', PRIVATE);
    return { success: 1, name, ...(await readButtons(options, stored)) };
  });
}

/** `PATCH` and `DELETE /api/show/<name>`. */
async function changingRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, creation } = options;
  const onRequest = limitCallers('changes', options);

  app.patch<ShowParams>(PATH, { onRequest, config: { outline: CHANGE_SHOW } }, async (request, reply) => {
    const { version, ifOnAir, seen, hand, guard, ...change } = parseOrThrow(changeShowBody, request.body);
    await creation.spend(request, EVENT_BYTES);
    const { name } = request.params;
    if (change.chat?.length) await claimChat(request, name, change.chat, options);
    const show = await changeShow(
      engine,
      name,
      change,
      requestOf(request, options, 'change', { version, ifOnAir, seen, hand, guard }),
    );
    if (change.chat?.length === 0 && !show.chat)
      await claimChannels(engine, { show: name, chat: [], by: undefined }, options.chatChannels);
    reply.headers({ etag: etagOfShow(show), 'cache-control': PRIVATE });
    return wholeBody(engine, name, show);
  });

  app.delete<ShowParams>(PATH, { onRequest, config: { outline: DELETE_SHOW } }, async request => {
    const { name } = request.params;
    await removeShow(engine, name, accessOf(request, options));
    return { success: 1, name };
  });
}

/** @throws PollError `chat_full`, and what a change of the show throws for its key */
async function claimChat(
  request: FastifyRequest,
  show: string,
  chat: readonly ChatLink[],
  options: WritingOptions,
): Promise<void> {
  const { engine, creation, chatChannels, chatLink } = options;
  // Without a right to the show, nothing is claimed.
  authorizeShow(await readShow(engine, show, accessOf(request, options)), accessOf(request, options));
  const by = await creation.digestOfCaller(request);
  if (chatLink === 'operator' && by !== undefined)
    throw new PollError('api_key_rejected', {
      message: 'Linking a chat needs an operator’s API key on this server.',
    });
  await claimChannels(engine, { show, chat, by }, chatChannels);
}

/** `POST /api/show/<name>/<button>`. */
async function buttonRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, creation } = options;
  acceptOptionalJson(app);
  const onRequest = limitCallers('changes', options);
  for (const button of BUTTONS) {
    const body = pressBody(button);
    const route = { onRequest, config: { outline: outlineOf(button) } };
    app.post<ShowParams>(`${PATH}/${button}`, route, async (request, reply) => {
      const { name } = request.params;
      const wanted = parseOrThrow(body, request.body);
      const press = requestOf(request, options, button, wanted);
      await creation.spend(request, EVENT_BYTES);
      const spend = async (next: NextRound) =>
        creation.spend(request, await bytesOfRound(next, engine.polls), bytesOfPoll(next.poll));
      const { show, ...more } = await pressButton(engine, name, button, wanted, press, spend);
      const poll = await readOnAir(request, show, options);
      reply.header('cache-control', PRIVATE);
      return { ...(await wholeBody(engine, name, show)), poll, ...more };
    });
  }
}

async function pressButton(
  engine: ApiOptions['engine'],
  name: string,
  button: Button,
  wanted: WantedPress,
  request: ShowRequest,
  spend: (next: NextRound) => Promise<void>,
): Promise<{ readonly show: StoredShow } & Record<string, unknown>> {
  switch (button) {
    case 'next':
    case 'previous':
      return stepShow(engine, name, button, request, wanted.closeBeforeNext);
    case 'clear':
      return { show: await changeShow(engine, name, { onAir: null }, request), skipped: [] };
    case 'undo': {
      const { show, undone } = await undoShow(engine, name, request);
      return { show, undone: undone ? undoneBody(undone) : null };
    }
    case 'again': {
      const nowMs = await engine.polls.now();
      const draw = async (reading: Reading) => drawRound(reading, {}, body => draftOf(body, nowMs));
      return { show: await pressAgain(engine, name, wanted, request, draw, spend) };
    }
    default:
      return { show: await pressPoll(engine, name, button, wanted, request) };
  }
}

/** The poll on air, as a read of it with the key of the request; null if nothing is, or the key does not read it. */
async function readOnAir(
  request: FastifyRequest,
  { onAir }: StoredShow,
  { engine, readPoll, isOperatorKey }: ApiOptions,
): Promise<object | null> {
  const reading = onAir === null ? undefined : await readPoll(onAir);
  if (!reading) return null;
  const access = authorizeManage(keyOfRequest(request), await keysOf(engine, reading), isOperatorKey);
  if (access === 'granted') return { ...resultsBody(reading), ...writtenMembers(reading.poll) };
  return areResultsPublic(reading.results)
    ? { ...resultsBody(reading), ...publicMembers(reading.poll) }
    : null;
}

/** `POST /api/show/<name>/show_key` and `/view_key`. */
async function keyRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, creation } = options;
  acceptOptionalJson(app);
  const onRequest = limitCallers('changes', options);
  const showKeyRoute = { onRequest, config: { outline: RENEW_SHOW_KEY } };
  app.post<ShowParams>(`${PATH}/show_key`, showKeyRoute, async (request, reply) => {
    const { name } = request.params;
    const access = accessOf(request, options);
    // The old key identifies the caller: it gets the new one again under the same Idempotency-Key.
    const showKey = await creation.onceFor(`show_key ${name} ${access.key?.hash}`, request, {
      draw: async () => createKey('show'),
      async store(key) {
        await creation.spend(request, 0);
        await renewShowKey(engine, name, hashKey(key), access, stored => {
          const viewKey = openViewKey(stored, keyInHeader(request));
          return viewKey === undefined ? undefined : sealViewKey(viewKey, key);
        });
      },
    });
    reply.header('cache-control', 'no-store');
    return { success: 1, name, show_key: showKey, links: { desk: deskLink(options, name, showKey) } };
  });

  const viewKeyRoute = { onRequest, config: { outline: RENEW_VIEW_KEY } };
  app.post<ShowParams>(`${PATH}/view_key`, viewKeyRoute, async (request, reply) => {
    const { name } = request.params;
    const access = requestOf(request, options, 'view_key', {});
    const viewKey = await creation.onceFor(`view_key ${name} ${access.key?.hash}`, request, {
      draw: async () => createKey('show_view'),
      async store(key) {
        await creation.spend(request, 0);
        await rewriteShow(engine, name, access, async stored => {
          if (!isOwnKey(stored, keyInHeader(request)))
            throw new PollError('api_key_rejected', {
              message: 'The view_key is sealed with the show_key, so only the show_key replaces it.',
            });
          return { ...stored, viewKey: sealViewKey(key, keyInHeader(request)!) };
        });
      },
    });
    reply.header('cache-control', 'no-store');
    return {
      success: 1,
      name,
      view_key: viewKey,
      links: { presenter: presenterLink(options, name, viewKey) },
    };
  });
}

const SEALED_VIEW_KEY = 'view_key of a show';

export function sealViewKey(viewKey: string, showKey: string): NonNullable<StoredShow['viewKey']> {
  return { hash: hashKey(viewKey), sealed: encrypt(viewKey, showKey, SEALED_VIEW_KEY) };
}

/** @returns undefined without a view key, and for an operator's key */
function openViewKey(stored: StoredShow, showKey: string | undefined): string | undefined {
  return stored.viewKey && isOwnKey(stored, showKey)
    ? decrypt(stored.viewKey.sealed, showKey!, SEALED_VIEW_KEY)
    : undefined;
}

function isOwnKey({ keyHash }: StoredShow, key = ''): boolean {
  return sameDigest(hashKey(key), keyHash);
}

/** Gives an older show a view key with the first read by its own key. */
async function withViewKey(
  request: FastifyRequest<ShowParams>,
  stored: StoredShow,
  { engine, isOperatorKey }: ApiOptions,
): Promise<StoredShow> {
  const showKey = keyInHeader(request);
  if (stored.viewKey || !isOwnKey(stored, showKey)) return stored;
  const viewKey = sealViewKey(createKey('show_view'), showKey!);
  const access = { key: keyOfRequest(request), isOperatorKey };
  const add = async (now: StoredShow) => (now.viewKey ? now : { ...now, viewKey });
  // What cannot be written now is written by a later read.
  return rewriteShow(engine, request.params.name, access, add).catch(() => stored);
}

export interface NewShow {
  readonly name: string;
  readonly title: string;
  readonly showKey: string;
  readonly viewKey: string;
  readonly joinCode?: string | undefined;
}

export function createdShowReply(
  reply: FastifyReply,
  { name, title, showKey, viewKey, joinCode }: NewShow,
  options: ApiOptions,
): object {
  const { relayUrl, voteUrl } = options;
  reply.code(201).headers({ location: `/api/show/${name}`, 'cache-control': 'no-store' });
  return {
    success: 1,
    name,
    title,
    on_air: null,
    join_code: joinCode,
    show_key: showKey,
    view_key: viewKey,
    links: {
      overlay: `${relayUrl}/overlay/show/${name}`,
      vote: `${voteUrl}/show/${name}`,
      desk: deskLink(options, name, showKey),
      presenter: presenterLink(options, name, viewKey),
      live: `${relayUrl.replace(/^http/, 'ws')}/api/show/${name}/live`,
      qr: `${relayUrl}/api/show/${name}/qr.svg`,
    },
  };
}

export function accessOf(request: FastifyRequest, { isOperatorKey }: ApiOptions): ShowAccess {
  return {
    key: keyOfRequest(request),
    isOperatorKey,
    rejectExpired: () => rejectExpired(request),
    requireMatch: etag => requireMatch(request, () => [etag]),
  };
}

function requestOf(request: FastifyRequest, options: ApiOptions, what: string, seen: SeenShow): ShowRequest {
  const key = readIdempotencyKey(request);
  const press = key === undefined ? undefined : pressOf(key, [what, request.body ?? null]);
  return { ...accessOf(request, options), ...seen, press, settleMs: options.settleMs };
}

/** The key is in the fragment, which browsers do not send to servers. */
function deskLink({ voteUrl }: ApiOptions, name: string, showKey: string): string {
  return `${voteUrl}/desk/${name}#key=${showKey}`;
}

/** The screen of a presenter: results before the audience has them, and what comes next. */
function presenterLink({ relayUrl }: ApiOptions, name: string, viewKey: string): string {
  return `${relayUrl}/overlay/show/${name}?style=host#key=${viewKey}`;
}

function publicBody(name: string, { title, onAir, look, delay = 0, joinCode, ...files }: StoredShow) {
  const images = { logo: null, ground: null, ...imagePaths(name, files) };
  return {
    success: 1,
    name,
    title,
    on_air: onAir,
    look: look ?? null,
    ...images,
    delay,
    join_code: joinCode,
  };
}

export async function wholeBody(engine: ApiOptions['engine'], name: string, show: StoredShow) {
  const { rundown, looks = {}, own, place, version, finalTwo, closeBeforeNext, winner, chat } = show;
  const undo = await findUndo(engine, show);
  return {
    ...publicBody(name, show),
    rundown,
    looks,
    own,
    place,
    version,
    final_two: !!finalTwo,
    close_before_next: !!closeBeforeNext,
    winner: winner ?? 'close',
    aired_winner: winnerOnAir(show, show.onAir) ?? null,
    chat: chat ?? [],
    undo: undo ?? null,
  };
}

function chatStateBody({ messagesPerSecond, fault, late, ...link }: ReportedLink) {
  return { ...link, messages_per_second: messagesPerSecond, fault: fault ?? null, late: late ?? null };
}

function undoneBody(undone: Undo) {
  const { press, poll } = undone;
  return { ...undone, on_air: poll, seen: press === 'reveal' || press === 'step' };
}

export const SHOW_LINKS: Links = {
  parameter: 'name',
  key: 'show_key',
  operations: {
    read: 'readShow',
    rundown: 'readRundown',
    buttons: 'readButtons',
    change: 'changeShow',
    poll: 'createPollOfShow',
    ...Object.fromEntries(BUTTONS.map(button => [button, idOf(button)])),
    renewKey: 'renewShowKey',
    renewViewKey: 'renewShowViewKey',
    results: 'readShowResults',
    copy: 'copyShow',
    delete: 'deleteShow',
  },
};

const CREATE_SHOW: Outline = {
  id: 'createShow',
  summary: 'Create a show',
  description:
    'A show is a named place on air: an overlay points to it once, and the poll on air changes. The same limits apply as for creating a poll.',
  key: 'optional',
  takes: ['secret'],
  body: { schema: createShowBody, example: { show: { name: 'friday-night', title: 'Friday night' } } },
  replies: { 201: created('The show was created.', 'CreatedShow', SHOW_LINKS) },
  errors: ['show_name_taken'],
};

const CREATE_POLL_OF_SHOW: Outline = {
  id: 'createPollOfShow',
  summary: 'Create a poll at the end of the rundown',
  description:
    'Like creating a poll, with the `show_key` or an operator’s key. The `show_key` also manages the poll. The poll is private whatever `priv` is.',
  takes: ['Idempotency-Key'],
  body: { schema: createPollBody, example: { poll: { ...NEW_POLL, status: 'upcoming' } } },
  replies: { 201: created('The poll was created.', 'CreatedPoll') },
  errors: ['rundown_full'],
};

const READ_SHOW: Outline = {
  id: 'readShow',
  summary: 'Read what is on air',
  description:
    'With the `show_key` or an operator’s key also the rundown and the version. `logo` and `ground` are paths on the relay.',
  key: 'optional',
  replies: {
    200: { description: 'The show.', json: ['WholeShow', 'Show'], headers: 'matched' },
  },
};

const READ_BUTTONS: Outline = {
  id: 'readButtons',
  summary: 'Read what the buttons of a show do now',
  description:
    'The poll on air, the next one, and for each button whether a press is possible, its label and its tally color.',
  key: 'required',
  replies: { 200: json('The buttons.', 'ShowButtons') },
};

const CHANGE_SHOW: Outline = {
  id: 'changeShow',
  summary: 'Put a poll on air, or change the rundown, the title, the look or the delay',
  description:
    'Needs the `show_key` or an operator’s key in a header. All overlays of the show change at once. Any poll can be put on air, but only its own key changes it.',
  takes: ['press'],
  body: { schema: changeShowBody, example: { show: { look: { theme: 'light', accent: '#1e90ff' } } } },
  replies: { 200: json('The changed show.', 'ChangedShow', { headers: 'matched' }) },
  errors: [
    'show_changed',
    'on_air_changed',
    'poll_changed',
    'idempotency_key_reused',
    'confirm_required',
    'poll_not_found',
    'chat_full',
  ],
};

const DELETE_SHOW: Outline = {
  id: 'deleteShow',
  summary: 'Delete a show',
  description: 'Frees the name. The polls of the show stay.',
  replies: { 200: json('The show was deleted.', 'DeletedShow') },
  errors: BODY_ERRORS,
};

/** Summary, description and errors of each button. */
const BUTTON_TEXTS: Readonly<Record<Button, readonly [string, string, ...NonNullable<Outline['errors']>]>> = {
  next: [
    'Put the next poll of the rundown on air',
    'If no poll of the rundown is on air, continues after the one that was on air last. Deleted polls are skipped and listed in `skipped`.',
    'rundown_end',
  ],
  previous: [
    'Put the previous poll of the rundown on air',
    'If no poll of the rundown is on air, returns to the one that was on air last.',
    'rundown_start',
  ],
  clear: ['Take the poll off air', 'Keeps the place in the rundown.'],
  open: [
    'Open the poll on air',
    'A deadline that has passed is removed. An open poll stays as it is, except for `closes_in`. With a `delay` of the show, the poll closes so much after `closes_in`. While results are revealed by steps only with `confirm`.',
    'confirm_required',
  ],
  close: [
    'Close the poll on air',
    'At once, or after `closes_in` seconds. A closed poll stays as it is. With a `delay` of the show, this is when the vote ends on air, and the poll closes so much later.',
  ],
  step: [
    'Reveal the next place of the poll on air',
    'From the lowest place up, of a closed poll with hidden results; answers in a tie together. `{"to": 3}` reveals all down to that place.',
    'poll_open',
    'nothing_to_reveal',
  ],
  reveal: [
    'Show all results of the poll on air',
    'While voting is open, or after a `step`, only with `confirm`.',
    'poll_open',
    'confirm_required',
  ],
  hide: ['Hide the results of the poll on air', 'Viewers may have seen them.'],
  again: [
    'Begin the next round of the poll on air',
    'At zero and open, prepared as this round was. If this one has ballots, only with `confirm`. `undo` returns to it while the new one has no ballot.',
    'confirm_required',
    'rounds_full',
  ],
  keep_open: ['Keep the poll on air open', 'Takes away its deadline, or the seconds of a prepared poll.'],
  undo: [
    'Take back the last press',
    'Of any desk or program, up to 20 one after the other: what was on air is on air again, a reveal or a step is hidden again, a close opens again with the time that was left (not after its deadline has closed it), and an open returns to what was before it, or closes if a ballot was cast. Changes of the rundown, and corrections by the key of the show, are presses, too. Votes stay. Presses of deleted polls are skipped.',
    'nothing_to_undo',
  ],
};

/** Such as `keepOpenOfShow`. */
function idOf(button: Button): string {
  return `${button.replace('_o', 'O')}OfShow`;
}

function outlineOf(button: Button): Outline {
  const [summary, description, ...own] = BUTTON_TEXTS[button];
  const isOfPoll = !['next', 'previous', 'clear', 'undo'].includes(button);
  const errors: Outline['errors'] = isOfPoll ? ['nothing_on_air', 'poll_not_found', ...own] : own;
  const reply = isOfPoll ? 'PressedShow' : button === 'undo' ? 'UndoneShow' : 'SteppedShow';
  return {
    id: idOf(button),
    summary,
    description: `${description} The body is optional. With \`if_on_air\`, a second press that is made from the same picture gets \`on_air_changed\`.`,
    takes: ['press'],
    body: { schema: pressBody(button), example: { show: {} }, optional: true },
    replies: { 200: json('The show.', reply) },
    errors: ['show_changed', 'on_air_changed', 'poll_changed', 'idempotency_key_reused', ...errors],
  };
}

const RENEW_SHOW_KEY: Outline = {
  id: 'renewShowKey',
  summary: 'Replace the key of the show',
  description:
    'The old key stops working at once, for the show and its polls; the `view_key` stays, unless an operator’s key sends this. If the reply is lost, the same Idempotency-Key and the old key return it again.',
  takes: ['secret'],
  replies: { 200: json('The new key, shown only once.', 'NewShowKey') },
  errors: BODY_ERRORS,
};

const RENEW_VIEW_KEY: Outline = {
  id: 'renewShowViewKey',
  summary: 'Replace the view key of the show',
  description:
    'For screens that read all of the show and press nothing. The old one stops working at once. Needs the `show_key`, with which `GET` shows it again.',
  takes: ['secret'],
  replies: { 200: json('The new view key.', 'NewShowViewKey') },
  errors: [...BODY_ERRORS, 'idempotency_key_reused'],
};
