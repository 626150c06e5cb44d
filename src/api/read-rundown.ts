import type { FastifyInstance } from 'fastify';
import { writeMoment } from '../poll/moment.ts';
import { areResultsPublic, countVotes, type PollId, type Reading } from '../poll/poll.ts';
import { judgeAccess } from '../poll/poll-key.ts';
import { judgeShow, readShow } from '../show/rewrite-show.ts';
import { ownsPoll } from '../show/stored-show.ts';
import type { ApiOptions } from './api-options.ts';
import { accessOf, SHOW_PATH, type ShowParams } from './show-body.ts';

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
    deadline: results.deadlineMs === null ? null : writeMoment(results.deadlineMs),
    ...(results.closesInMs !== undefined && { closes_in: results.closesInMs / 1000 }),
    total_votes: mayRead ? countVotes(results) : null,
    total_voters: mayRead ? results.totalVoters : null,
  };
}
