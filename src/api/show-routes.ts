import type { FastifyInstance, FastifyRequest } from 'fastify';
import { countAudience } from '../engine/audience.ts';
import { keyOfRequest } from '../http/caller.ts';
import { invalidRequest } from '../poll/invalid-request.ts';
import { areResultsPublic, countVotes, type PollId, type Reading } from '../poll/poll.ts';
import { judgeAccess } from '../poll/poll-key.ts';
import { formatTime } from '../poll/time.ts';
import { judgeShow, pressOf, readShow, type ShowAccess, type ShowRequest } from '../show/rewrite-show.ts';
import {
  changeShowBody,
  pressBody,
  unknownMembersOfChange,
  unknownMembersOfPress,
} from '../show/show-schema.ts';
import {
  changeShow,
  clearShow,
  removeShow,
  type Show,
  type Stepped,
  shown,
  stepShow,
} from '../show/shows.ts';
import { ownsPoll } from '../show/stored-show.ts';
import { limitCallers } from './allowance.ts';
import type { ApiOptions } from './api-options.ts';
import { readIdempotencyKey } from './creation.ts';
import { acceptNoBody } from './json-body.ts';
import { refuseLate } from './request-expiry.ts';

/** What the operations of a show have in common. */

export const SHOW_PATH = '/api/show/:name';

export interface ShowParams {
  readonly Params: { readonly name: string };
}

export function accessOf(request: FastifyRequest, { isOperatorKey }: ApiOptions): ShowAccess {
  return { key: keyOfRequest(request), isOperatorKey, refuseLate: () => refuseLate(request) };
}

/** For everybody. */
function showBody({ name, title, onAir }: Show) {
  return { success: 1, name, title, on_air: onAir };
}

/** For those who have the key. */
function wholeShowBody(show: Show) {
  const { rundown, own, place, version } = show;
  return { ...showBody(show), rundown, own, place, version };
}

/** `GET`, `PATCH` and `DELETE /api/show/<name>`: contract, section 11. */
export function showRoutes(app: FastifyInstance, options: ApiOptions): void {
  const { engine } = options;
  const onRequest = limitCallers('changes', options);

  app.get<ShowParams>(SHOW_PATH, async (request, reply) => {
    const { name } = request.params;
    const access = accessOf(request, options);
    const stored = await readShow(engine, name);
    if (!access.key) {
      reply.header('cache-control', 'no-cache');
      return showBody(shown(name, stored));
    }
    // A key that is none any more is told so: what it would have shown is missing otherwise, and nobody knows why.
    judgeShow(stored, access, 'read');
    reply.header('cache-control', 'private, no-store');
    const [screens = 0] = stored.onAir === null ? [] : await countAudience(engine.records, [stored.onAir]);
    return { ...wholeShowBody(shown(name, stored)), screens, now: Date.now() / 1_000 };
  });

  app.patch<ShowParams>(SHOW_PATH, { onRequest }, async (request, reply) => {
    const wanted = changeShowBody.safeParse(request.body);
    if (!wanted.success) throw invalidRequest(wanted.error);
    const { version, ...change } = wanted.data;
    const { name } = request.params;
    const show = await changeShow(engine, name, change, {
      ...accessOf(request, options),
      version,
      press: pressOfRequest(request, 'change'),
    });
    reply.header('cache-control', 'private, no-store');
    return { ...wholeShowBody(show), ignored: unknownMembersOfChange(request.body) };
  });

  app.delete<ShowParams>(SHOW_PATH, { onRequest }, async request => {
    const { name } = request.params;
    await removeShow(engine, name, accessOf(request, options));
    return { success: 1, name };
  });
}

/** `GET /api/show/<name>/rundown`: all that a desk tells about a run-down, in one read. */
export function readRundown(app: FastifyInstance, options: ApiOptions): void {
  const { engine, readPoll, isOperatorKey } = options;

  app.get<ShowParams>(`${SHOW_PATH}/rundown`, async (request, reply) => {
    const { name } = request.params;
    const access = accessOf(request, options);
    const stored = await readShow(engine, name, access);
    judgeShow(stored, access, 'read');
    const polls = await Promise.all(
      stored.rundown.map(async id => {
        const reading = await readPoll(id);
        if (!reading) return gone(id);
        const owned = ownsPoll(stored, reading.poll.show);
        const keys = owned ? { ...reading.keys, showKeyHash: stored.keyHash } : reading.keys;
        const mayRead =
          areResultsPublic(reading.results) || judgeAccess(access.key, keys, isOperatorKey) === 'granted';
        return entryOf(reading, owned, mayRead);
      }),
    );
    reply.header('cache-control', 'private, no-store');
    const { title, onAir, version } = stored;
    return { success: 1, name, title, on_air: onAir, version, rundown: polls };
  });
}

function gone(id: PollId) {
  return { id, gone: true };
}

function entryOf({ poll, results }: Reading, owned: boolean, mayRead: boolean) {
  return {
    id: poll.id,
    gone: false,
    owned,
    title: poll.title,
    status: results.status,
    results_visibility: results.resultsVisibility,
    deadline: results.deadlineMs === null ? null : formatTime(results.deadlineMs),
    ...(results.closesInMs !== undefined && { closes_in: results.closesInMs / 1000 }),
    total_votes: mayRead ? countVotes(results) : null,
    total_voters: mayRead ? results.totalVoters : null,
  };
}

type Act = (name: string, request: ShowRequest) => Promise<Stepped>;

/** `POST /api/show/<name>/next`, `/previous` and `/clear`: contract, section 11. */
export async function showButtons(app: FastifyInstance, options: ApiOptions): Promise<void> {
  const { engine } = options;
  const onRequest = limitCallers('changes', options);
  acceptNoBody(app);
  const add = (button: string, act: Act) =>
    app.post<ShowParams>(`${SHOW_PATH}/${button}`, { onRequest }, async (request, reply) => {
      const pressed = pressBody.safeParse(request.body);
      if (!pressed.success) throw invalidRequest(pressed.error);
      const { show, skipped } = await act(request.params.name, {
        ...accessOf(request, options),
        version: pressed.data.version,
        press: pressOfRequest(request, button),
      });
      reply.header('cache-control', 'private, no-store');
      return { ...wholeShowBody(show), skipped, ignored: unknownMembersOfPress(request.body) };
    });

  add('next', (name, press) => stepShow(engine, name, 'next', press));
  add('previous', (name, press) => stepShow(engine, name, 'previous', press));
  add('clear', async (name, press) => ({ show: await clearShow(engine, name, press), skipped: [] }));
}

/** @returns undefined where the request may be carried out each time that it comes */
function pressOfRequest(request: FastifyRequest, button: string): ShowRequest['press'] {
  const key = readIdempotencyKey(request);
  return key === undefined ? undefined : pressOf(key, [button, request.body ?? null]);
}
