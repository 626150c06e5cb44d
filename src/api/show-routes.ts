import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countShowAudience } from '../engine/audience.ts';
import { readRejectedBallots } from '../engine/rejected-ballots.ts';
import { keyOfRequest } from '../http/caller.ts';
import { requireMatch } from '../http/entity-tag.ts';
import { bytesOfPoll, EVENT_BYTES, SHOW_BYTES } from '../http/rate-limit.ts';
import { parseOrThrow } from '../poll/poll-error.ts';
import { createKey, hashKey } from '../poll/poll-key.ts';
import { unknownMembersOfPoll } from '../poll/poll-schema.ts';
import { logoPath } from '../show/logo.ts';
import {
  authorizeShow,
  etagOfShow,
  pressOf,
  readShow,
  type ShowAccess,
  type ShowRequest,
} from '../show/rewrite-show.ts';
import {
  changeShowBody,
  createShowBody,
  pressBody,
  type SeenShow,
  unknownMembersOfChange,
  unknownMembersOfNewShow,
  unknownMembersOfPress,
} from '../show/show-schema.ts';
import {
  addPoll,
  changeShow,
  createShow,
  openShow,
  removeShow,
  renewShowKey,
  type Show,
  stepShow,
  toShow,
  undoShow,
} from '../show/shows.ts';
import type { ApiOptions } from './api-options.ts';
import { type Creation, limitCallers, readIdempotencyKey } from './creation.ts';
import { acceptOptionalJson } from './json-body.ts';
import { createdReply, drawPoll, pollOf } from './poll-routes.ts';
import { rejectExpired } from './request-rules.ts';

/** `POST /api/show`, and reading and changing `/api/show/<name>`. */

const PATH = '/api/show/:name';
export const PRIVATE = 'private, no-store';

export interface ShowParams {
  readonly Params: { readonly name: string };
}

export async function showRoutes(
  app: FastifyInstance,
  options: ApiOptions,
  creation: Creation,
): Promise<void> {
  creatingRoutes(app, options, creation);
  readingRoutes(app, options);
  changingRoutes(app, options, creation);
  await app.register(async optional => {
    acceptOptionalJson(optional);
    buttonRoutes(optional, options, creation);
    keyRoute(optional, options, creation);
  });
}

/** `POST /api/show` and `POST /api/show/<name>/poll`. */
function creatingRoutes(app: FastifyInstance, options: ApiOptions, creation: Creation): void {
  const { engine } = options;

  app.post('/api/show', { onRequest: creation.limit }, async (request, reply) => {
    const isKept = creation.isOperator(request);
    const { name, title, showKey } = await creation.once(request, {
      draw: async () => ({
        ...parseOrThrow(createShowBody, request.body).show,
        showKey: createKey('show'),
      }),
      async store(drawn) {
        await creation.spend(request, SHOW_BYTES);
        await createShow(engine, drawn, hashKey(drawn.showKey), isKept);
      },
    });
    return createdShowReply(reply, { name, title, showKey }, unknownMembersOfNewShow(request.body), options);
  });

  app.post<ShowParams>(`${PATH}/poll`, { onRequest: creation.limit }, async (request, reply) => {
    const access = accessOf(request, options);
    const { owner: show, isKept } = await openShow(engine, request.params.name, access);
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
    return createdReply(
      reply,
      pollOf(request.body, seed, origin),
      unknownMembersOfPoll(request.body),
      options,
    );
  });
}

/** `GET /api/show/<name>`. */
function readingRoutes(app: FastifyInstance, options: ApiOptions): void {
  const { engine } = options;

  app.get<ShowParams>(PATH, async (request, reply) => {
    const { name } = request.params;
    const access = accessOf(request, options);
    const stored = await readShow(engine, name);
    if (!access.key) {
      reply.header('cache-control', 'no-cache');
      return publicBody(toShow(name, stored));
    }
    // An error, because callers with a wrong key would not notice that members are missing.
    authorizeShow(stored, access, 'read');
    reply.headers({ etag: etagOfShow(stored), 'cache-control': PRIVATE });
    const show = toShow(name, stored);
    const audience = await countShowAudience(engine.records, name, stored.onAir);
    const own = show.own.filter(id => id === stored.onAir);
    const [rejected] = await readRejectedBallots(engine.records, own);
    return { ...wholeBody(show), ...audience, ...(rejected && { rejected }), now: Date.now() / 1_000 };
  });
}

/** `PATCH` and `DELETE /api/show/<name>`. */
function changingRoutes(app: FastifyInstance, options: ApiOptions, creation: Creation): void {
  const { engine } = options;
  const onRequest = limitCallers('changes', options);

  app.patch<ShowParams>(PATH, { onRequest }, async (request, reply) => {
    const { version, ifOnAir, ...change } = parseOrThrow(changeShowBody, request.body);
    await creation.spend(request, EVENT_BYTES);
    const show = await changeShow(
      engine,
      request.params.name,
      change,
      requestOf(request, options, 'change', { version, ifOnAir }),
    );
    reply.headers({ etag: etagOfShow(show), 'cache-control': PRIVATE });
    return { ...wholeBody(show), ignored: unknownMembersOfChange(request.body) };
  });

  app.delete<ShowParams>(PATH, { onRequest }, async request => {
    const { name } = request.params;
    await removeShow(engine, name, accessOf(request, options));
    return { success: 1, name };
  });
}

/** `POST /api/show/<name>/next`, `/previous`, `/clear` and `/undo`. */
function buttonRoutes(app: FastifyInstance, options: ApiOptions, creation: Creation): void {
  const { engine } = options;
  const onRequest = limitCallers('changes', options);
  for (const button of ['next', 'previous', 'clear', 'undo'] as const)
    app.post<ShowParams>(`${PATH}/${button}`, { onRequest }, async (request, reply) => {
      const { name } = request.params;
      const press = requestOf(request, options, button, parseOrThrow(pressBody, request.body));
      await creation.spend(request, EVENT_BYTES);
      reply.header('cache-control', PRIVATE);
      const ignored = unknownMembersOfPress(request.body);
      if (button === 'undo') {
        const { show, undone } = await undoShow(engine, name, press);
        return { ...wholeBody(show), undone: undone ? { on_air: undone.onAir } : null, ignored };
      }
      const { show, skipped } =
        button === 'clear'
          ? { show: await changeShow(engine, name, { onAir: null }, press), skipped: [] }
          : await stepShow(engine, name, button, press);
      return { ...wholeBody(show), skipped, ignored };
    });
}

/** `POST /api/show/<name>/show_key`. */
function keyRoute(app: FastifyInstance, options: ApiOptions, creation: Creation): void {
  const onRequest = limitCallers('changes', options);
  app.post<ShowParams>(`${PATH}/show_key`, { onRequest }, async (request, reply) => {
    const { name } = request.params;
    const access = accessOf(request, options);
    // The old key identifies the caller: it gets the new one again under the same Idempotency-Key.
    const showKey = await creation.onceFor(`show_key ${name} ${access.key?.hash}`, request, {
      draw: async () => createKey('show'),
      async store(key) {
        await creation.spend(request, 0);
        await renewShowKey(options.engine, name, hashKey(key), access);
      },
    });
    reply.header('cache-control', 'no-store');
    return { success: 1, name, show_key: showKey, links: { desk: deskLink(options, name, showKey) } };
  });
}

export function createdShowReply(
  reply: FastifyReply,
  { name, title, showKey }: { readonly name: string; readonly title: string; readonly showKey: string },
  ignored: readonly string[],
  options: ApiOptions,
): object {
  const { relayUrl, voteUrl } = options;
  reply.code(201).headers({ location: `/api/show/${name}`, 'cache-control': 'no-store' });
  return {
    success: 1,
    name,
    title,
    on_air: null,
    show_key: showKey,
    links: {
      overlay: `${relayUrl}/overlay/show/${name}`,
      vote: `${voteUrl}/show/${name}`,
      desk: deskLink(options, name, showKey),
      live: `${relayUrl.replace(/^http/, 'ws')}/api/show/${name}/live`,
      qr: `${relayUrl}/api/show/${name}/qr.svg`,
    },
    ignored,
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
  return { ...accessOf(request, options), ...seen, press };
}

/** The key is in the fragment, which browsers do not send to servers. */
function deskLink({ voteUrl }: ApiOptions, name: string, showKey: string): string {
  return `${voteUrl}/desk/${name}#key=${showKey}`;
}

function publicBody({ name, title, onAir, look, logo }: Show) {
  const path = logo === undefined ? null : logoPath(name, logo);
  return { success: 1, name, title, on_air: onAir, look: look ?? null, logo: path };
}

export function wholeBody(show: Show) {
  const { rundown, own, place, version, before } = show;
  return {
    ...publicBody(show),
    rundown,
    own,
    place,
    version,
    undo: before ? { on_air: before.onAir } : null,
  };
}
