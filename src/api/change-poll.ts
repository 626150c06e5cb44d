import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { changeTwin } from '../engine/rehearsal-twins.ts';
import { keyOfRequest } from '../http/caller.ts';
import { resultsBody } from '../live/results-body.ts';
import { changePollBody, unknownMembersOfPollChange } from '../poll/change-schema.ts';
import { isPollId } from '../poll/create-poll.ts';
import { invalidRequest } from '../poll/invalid-request.ts';
import type { Reading } from '../poll/poll.ts';
import { type ChangeFault, type PollChange, planChange } from '../poll/poll-change.ts';
import { PollError } from '../poll/poll-error.ts';
import { createKey, hashKey, judgeManaging, judgeMissing, sameDigest } from '../poll/poll-key.ts';
import { REHEARSAL_ID } from '../poll/rehearsal.ts';
import { originOfTwin } from '../poll/rehearsal-twin.ts';
import { keysOf } from '../show/owner-keys.ts';
import { limitCallers } from './allowance.ts';
import type { ApiOptions } from './api-options.ts';
import { manageLink } from './create-poll.ts';
import type { Creation } from './creation.ts';
import { refuseLate } from './request-expiry.ts';

interface PollParams {
  readonly Params: { readonly id: string };
}

const PATH = '/api/poll/:id';

/** `PATCH` and `DELETE /api/poll/<id>`, `POST /api/poll/<id>/view_key` and `/admin_key`: contract, section 10. */
export async function changePoll(
  app: FastifyInstance,
  options: ApiOptions,
  creation: Creation,
): Promise<void> {
  const { engine, readPoll, voteUrl } = options;
  const onRequest = limitCallers('changes', options);
  const change = async (request: FastifyRequest, id: string, what: PollChange) => {
    refuseLate(request);
    const isDone = originOfTwin(id)
      ? await changeTwin(engine, id, what)
      : await engine.polls.change(id, what);
    if (!isDone) throw new PollError('poll_not_found');
  };

  app.patch<PollParams>(PATH, { onRequest }, async (request, reply) => {
    const { poll, results } = await readManaged(request, reply, options);
    const wanted = changePollBody.safeParse(request.body);
    if (!wanted.success) throw invalidRequest(wanted.error);
    const planned = planChange(results, wanted.data);
    if (planned.fault) throw FAULTS[planned.fault]();
    if (planned.change) await change(request, poll.id, planned.change);
    const now = await readPoll(poll.id);
    if (!now) throw new PollError('poll_not_found');
    reply.header('cache-control', 'no-store');
    return { ...resultsBody(now), ignored: unknownMembersOfPollChange(request.body) };
  });

  await app.register(async bodiless => {
    // Buttons send a content type, and some an empty object, with whatever they send.
    bodiless.removeAllContentTypeParsers();
    bodiless.addContentTypeParser('*', { parseAs: 'buffer' }, (_, __, done) => done(null));

    bodiless.post<PollParams>(`${PATH}/view_key`, { onRequest }, async (request, reply) => {
      const { id } = (await readManaged(request, reply, options)).poll;
      const viewKey = createKey('view');
      await change(request, id, { viewKeyHash: hashKey(viewKey) });
      reply.header('cache-control', 'no-store');
      return { success: 1, id, view_key: viewKey };
    });

    bodiless.post<PollParams>(`${PATH}/admin_key`, { onRequest }, async (request, reply) => {
      const { id } = request.params;
      refuseSimulated(id, request, reply);
      // The old key opens nothing after this, except the same reply under the same Idempotency-Key.
      const adminKey = await creation.onceFor(
        `admin_key ${id} ${keyOfRequest(request)?.hash}`,
        request,
        async () => createKey('admin'),
        async key => {
          const adminKeyHash = hashKey(key);
          const known = isPollId(id) ? await engine.polls.find(id) : undefined;
          if (known && sameDigest(known.keys.adminKeyHash, adminKeyHash)) return;
          await readManaged(request, reply, options);
          await creation.spend(request, 0);
          await change(request, id, { adminKeyHash });
        },
      );
      reply.header('cache-control', 'no-store');
      return { success: 1, id, admin_key: adminKey, links: { manage: manageLink(voteUrl, id, adminKey) } };
    });

    bodiless.delete<PollParams>(PATH, { onRequest }, async (request, reply) => {
      const { id } = (await readManaged(request, reply, options)).poll;
      refuseLate(request);
      if (!(await engine.polls.remove(id))) throw new PollError('poll_not_found');
      reply.header('cache-control', 'no-store');
      return { success: 1, id };
    });
  });
}

/** The poll, for whoever has the key to manage it. */
async function readManaged(
  request: FastifyRequest<PollParams>,
  reply: FastifyReply,
  { engine, readPoll, isOperatorKey }: ApiOptions,
): Promise<Reading> {
  const { id } = request.params;
  refuseSimulated(id, request, reply);
  const reading = isPollId(originOfTwin(id) ?? id) ? await readPoll(id) : undefined;
  const key = keyOfRequest(request);
  const access = reading
    ? judgeManaging(key, await keysOf(engine, reading), isOperatorKey)
    : judgeMissing(key, isOperatorKey);
  if (access === 'granted') {
    if (reading) return reading;
    throw new PollError('poll_not_found');
  }
  throw access === 'absent'
    ? new PollError('api_key_required', {
        message:
          'Changing a poll needs its admin_key, the key of the show that owns it, or an operator’s API key.',
      })
    : new PollError('api_key_rejected', {
        message:
          'This key does not change this poll. Its admin_key does, in a header, and the key of the show that owns it; a view_key only reads.',
      });
}

/** A poll's twin is opened, closed and shown as the poll would be; it cannot be removed, and has the poll's keys. */
function refuseSimulated(id: string, request: FastifyRequest, reply: FastifyReply): void {
  const isTwin = originOfTwin(id) !== undefined;
  if (id !== REHEARSAL_ID && (!isTwin || request.method === 'PATCH')) return;
  const isPoll = request.routeOptions.url === PATH;
  reply.header('allow', isPoll ? (isTwin ? 'GET, HEAD, PATCH' : 'GET, HEAD') : '');
  throw new PollError('method_not_allowed', {
    message: isTwin
      ? 'This is the rehearsal of a poll. It can be opened, closed and shown; the poll itself is not touched.'
      : 'The rehearsal poll is simulated. It can be read and watched; nothing changes it.',
  });
}

const FAULTS: Record<ChangeFault, () => PollError> = {
  deadline_in_past: () => invalid('poll.deadline', 'must be in the future'),
  deadline_missing: () =>
    new PollError('deadline_missing', {
      issues: [{ path: 'poll.results_visibility', message: 'after_deadline needs a deadline' }],
    }),
  deadline_passed: () => new PollError('deadline_passed'),
};

function invalid(path: string, message: string): PollError {
  return new PollError('invalid_request', { issues: [{ path, message }] });
}
