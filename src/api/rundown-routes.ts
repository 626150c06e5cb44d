import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { readRound } from '../engine/read-round.ts';
import { areResultsPublic, countVotes, type PollId, type Reading } from '../poll/poll.ts';
import { parseOrThrow } from '../poll/poll-error.ts';
import { authorizeRead } from '../poll/poll-key.ts';
import { editedAt, resultsText, secondsOf, timeOrNull, voidedVotesOf } from '../protocol/results-body.ts';
import { authorizeShow, readShow } from '../show/rewrite-show.ts';
import { ownerKeysIn, ownsPoll, type StoredShow } from '../show/show.ts';
import type { ApiOptions } from './api-options.ts';
import { json, type Outline } from './outline.ts';
import { csvCell, SHOW_CSV, spreadsheetCell } from './results-formats.ts';
import { accessOf, PRIVATE, type ShowParams } from './show-routes.ts';

/** `GET /api/show/<name>/rundown` and `/results`: all polls of a rundown, in order, and then the removed ones. */

const PATH = '/api/show/:name';
const SHOW_FORMATS = ['json', 'csv'] as const;

const resultsQuery = z.object({
  format: z.enum(SHOW_FORMATS, `must be one of ${SHOW_FORMATS.join(', ')}`).default('json'),
  /** A file for a person, in place of `format`. */
  download: z.literal('csv', 'must be csv').optional(),
});

/** A poll of a rundown, as a key of the show may see it. */
interface RundownPoll {
  readonly id: PollId;
  /** Undefined if the poll was deleted. */
  readonly reading: Reading | undefined;
  /** Whether the show owns the poll. */
  readonly owned: boolean;
  /** Whether the key of the request may see the counts. */
  readonly mayRead: boolean;
}

type Write = (poll: RundownPoll, index: number, earlier: readonly Reading[]) => string;

export async function rundownRoutes(app: FastifyInstance, options: ApiOptions): Promise<void> {
  const { engine } = options;
  app.get<ShowParams>(`${PATH}/rundown`, { config: { outline: READ_RUNDOWN } }, async (request, reply) => {
    const { stored, polls } = await readRundown(request, options);
    await options.turns.take(request);
    reply.header('cache-control', PRIVATE);
    const { title, onAir, version } = stored;
    const { name } = request.params;
    const [listed, removed] = [polls.slice(0, stored.rundown.length), polls.slice(stored.rundown.length)];
    return {
      ...{ success: 1, name, title, on_air: onAir, version },
      rundown: listed.map(rundownEntry),
      removed: removed.map(rundownEntry),
    };
  });

  const route = { config: { outline: READ_SHOW_RESULTS } };
  app.get<ShowParams>(`${PATH}/results`, route, async (request, reply) => {
    const { format, download } = parseOrThrow(resultsQuery, request.query);
    const { stored, polls } = await readRundown(request, options);
    const { name } = request.params;
    /**
     * A large show takes tens of milliseconds: others have their turns after each poll, and it
     * ends with its connection.
     */
    async function* parts(start: string, write: Write, end = '') {
      yield start;
      for (const [index, poll] of polls.entries()) {
        await options.turns.take(request);
        yield write(poll, index, await earlierRounds(engine.polls, poll));
      }
      yield end;
    }
    const inTurns = (...written: Parameters<typeof parts>) =>
      Readable.from(parts(...written), { objectMode: false });
    reply.header('cache-control', PRIVATE);
    if (format === 'json' && !download) {
      const start = JSON.stringify({ success: 1, name, title: stored.title, polls: [] }).slice(0, -2);
      const entry: Write = (poll, at, earlier) => `${at === 0 ? '' : ','}${resultsEntry(poll, earlier)}`;
      return reply.type('application/json; charset=utf-8').send(inTurns(start, entry, ']}'));
    }
    const cell = download ? spreadsheetCell : csvCell;
    return reply
      .header('content-disposition', `attachment; filename="${name}-results.csv"`)
      .header('content-type', SHOW_CSV.contentType)
      .send(
        inTurns(SHOW_CSV.head, (poll, at, earlier) => {
          const rounds = earlier.map(reading => ({ ...poll, reading }));
          return [...rounds, poll].map(round => SHOW_CSV.linesOf(round, at, cell)).join('');
        }),
      );
  });
}

/** @throws PollError `show_not_found`, `api_key_required`, `api_key_rejected` */
async function readRundown(
  request: FastifyRequest<ShowParams>,
  options: ApiOptions,
): Promise<{ readonly stored: StoredShow; readonly polls: readonly RundownPoll[] }> {
  const { engine, readPoll, isOperatorKey } = options;
  const access = accessOf(request, options);
  const stored = await readShow(engine, request.params.name, access);
  authorizeShow(stored, access, 'read');
  const removed = stored.own.filter(id => !stored.rundown.includes(id));
  const polls = await Promise.all(
    [...stored.rundown, ...removed].map(async (id): Promise<RundownPoll> => {
      const reading = await readPoll(id);
      if (!reading) return { id, reading, owned: false, mayRead: false };
      const owned = ownsPoll(stored, reading.poll.show);
      const keys = { ...reading.keys, showKeys: ownerKeysIn(stored, reading.poll.show) };
      const mayRead =
        areResultsPublic(reading.results) || authorizeRead(access.key, keys, isOperatorKey) === 'granted';
      return { id, reading, owned, mayRead };
    }),
  );
  const isListed = ({ id, reading }: RundownPoll) => stored.rundown.includes(id) || reading;
  return { stored, polls: polls.filter(isListed) };
}

function rundownEntry({ id, reading, owned, mayRead }: RundownPoll) {
  if (!reading) return { id, gone: true };
  const { poll, results } = reading;
  return {
    id: poll.id,
    gone: false,
    owned,
    title: poll.title,
    status: results.status,
    results_visibility: results.resultsVisibility,
    deadline: timeOrNull(results.deadlineMs),
    closes_in: secondsOf(results.closesInMs),
    mip: owned ? poll.settings.sharedAddress : undefined,
    verifiable: poll.settings.isVerifiable,
    change_vote: poll.settings.allowChange,
    total_votes: mayRead ? countVotes(results) : null,
    total_voters: mayRead ? results.totalVoters : null,
    voided_votes: mayRead ? voidedVotesOf(results) : undefined,
    edited_at: mayRead ? editedAt(poll) : undefined,
  };
}

/** @returns the rounds before the present one that the key of the request may see */
async function earlierRounds(polls: ApiOptions['engine']['polls'], entry: RundownPoll): Promise<Reading[]> {
  const rounds: Reading[] = [];
  if (!entry.reading || !entry.mayRead) return rounds;
  const { round = 1 } = entry.reading.poll;
  for (let number = 1; number < round; number += 1)
    rounds.push(await readRound(polls, entry.reading, number));
  return rounds;
}

/** @returns JSON with the results as they are encoded for all readers */
function resultsEntry({ id, reading, owned, mayRead }: RundownPoll, earlier: readonly Reading[]): string {
  if (!reading) return JSON.stringify({ id, gone: true, owned, title: null, results: null });
  const head = JSON.stringify({ id, gone: false, owned, title: reading.poll.title });
  const rounds = earlier.length > 0 ? `,"rounds":[${earlier.map(each => resultsText(each)).join()}]` : '';
  return `${head.slice(0, -1)},"results":${mayRead ? resultsText(reading) : null}${rounds}}`;
}

const READ_RUNDOWN: Outline = {
  id: 'readRundown',
  summary: 'Read the rundown',
  description:
    'The state of every poll in the rundown, in one request, and of the polls that were removed and can be put back.',
  key: 'required',
  replies: { 200: json('The rundown, in order.', 'Rundown') },
};

const READ_SHOW_RESULTS: Outline = {
  id: 'readShowResults',
  summary: 'Read the results of all polls',
  description:
    'The results of every poll in the rundown, and then of removed ones, hidden ones included if the show owns the poll. `rounds` has the earlier rounds of a poll that was begun again.\n\n`?format=csv` is the same with one row per answer and round and exact texts, `?download=csv` a file that is safe to open in a spreadsheet. Neither is listed as a parameter, so that generated clients have one reply type.',
  key: 'required',
  replies: { 200: json('The results, in the order of the rundown.', 'ShowResults') },
};
