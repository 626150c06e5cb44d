import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { logHashes } from '../audit/node-crypto.ts';
import type { PollLog } from '../audit/poll-logs.ts';
import { readRound } from '../engine/read-round.ts';
import type { LoggedBallot } from '../poll/ballot.ts';
import { formatTime } from '../poll/input-rules.ts';
import { areResultsPublic, pollOfRound, type Reading } from '../poll/poll.ts';
import { PollError, parseOrThrow } from '../poll/poll-error.ts';
import type { ApiOptions } from './api-options.ts';
import { BYTES_TYPE, json, type Outline, type PathParameter } from './outline.ts';
import { hasReadingKey, requirePoll, wholeNumber } from './poll-request.ts';
import { acceptedType } from './vote-code.ts';

/** The logs of verifiable polls: C2SP tlog-tiles and tlog-checkpoint, and the ballots once the poll is closed. */

const PATH = '/api/poll/:id/log';
/** Lines in one reply. */
const MAX_ENTRIES = 10_000;
/**
 * `<level>/<index>`, with the index in groups of three digits, and `.p/<width>` at the end of a
 * tile that is not full.
 */
const TILE = /^(entries|[0-6])\/((?:x\d{3}\/){0,3}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;
const FULL_TILE = 256;
const TILE_CACHING = 'public, max-age=31536000, immutable';

const FROM = 'must be a sequence number from 1 on';
const entriesQuery = z.object({
  from: wholeNumber(1, 9_999_999_999, FROM, 'Sequence of the first line.').default(1),
});

interface LogRequest {
  readonly Params: { readonly id: string; readonly epoch?: string; readonly '*'?: string };
}

interface OpenLog {
  readonly reading: Reading;
  readonly log: PollLog;
  /** Caches may keep what is final. */
  readonly isPublic: boolean;
}

export async function logRoutes(app: FastifyInstance, options: ApiOptions): Promise<void> {
  const { engine, readPoll, logs, turns } = options;

  /** @throws PollError before anything depends on the ballots */
  async function open(request: FastifyRequest<LogRequest>, what: 'log' | 'ballots'): Promise<OpenLog> {
    const { epoch } = request.params;
    const { id, round } = pollOfRound(request.params.id) ?? { id: request.params.id, round: 1 };
    const reading = await readRound(engine.polls, await requirePoll(readPoll, id), round);
    const { poll, results } = reading;
    const { isVerifiable, showLogSize } = poll.settings;
    if (!isVerifiable || poll.rehearsal) throw new PollError('log_not_found');
    const isPublic = areResultsPublic(results) || (what === 'log' && showLogSize);
    if (!(await hasReadingKey(request, reading, options)) && !isPublic) throw new PollError('log_hidden');
    if (what === 'ballots' && results.status !== 'closed') throw new PollError('log_open');
    const log = await logs.find(poll, results.status === 'closed');
    if (!log || (epoch !== undefined && epoch !== `${log.epoch}`)) throw new PollError('log_not_found');
    return { reading, log, isPublic };
  }

  app.get<LogRequest>(PATH, { config: { outline: READ_LOG } }, async (request, reply) => {
    const { reading, log, isPublic } = await open(request, 'log');
    reply.header('cache-control', isPublic ? 'no-cache' : 'private, no-store');
    return { success: 1, log: bodyOf(log, reading) };
  });

  async function sendCheckpoint(request: FastifyRequest<LogRequest>, reply: FastifyReply) {
    const { log, isPublic } = await open(request, 'log');
    reply.header('cache-control', isPublic ? 'no-cache' : 'private, no-store');
    return reply.type('text/plain; charset=utf-8').send(log.note);
  }

  async function sendTile(request: FastifyRequest<LogRequest>, reply: FastifyReply) {
    const { log, isPublic } = await open(request, 'log');
    // Each epoch has tiles of its own, so that caches keep them for ever.
    if (request.params.epoch === undefined && log.epoch > 1) throw new PollError('tile_not_found');
    const tile = parseTile(request.params['*'] ?? '');
    const bytes =
      tile &&
      (tile.level === 'entries'
        ? await logs.findBundle(log, tile.index, tile.width)
        : await logs.findTile(log, tile.level, tile.index, tile.width));
    if (!bytes) throw new PollError('tile_not_found');
    reply.header('cache-control', isPublic ? TILE_CACHING : 'private, no-store');
    return reply.type('application/octet-stream').send(bytes);
  }

  for (const [path, of, epoch] of [
    [PATH, '', []],
    [`${PATH}/:epoch`, 'OfEpoch', [EPOCH]],
  ] as const) {
    app.get<LogRequest>(
      `${path}/checkpoint`,
      { config: { outline: checkpoint(`readCheckpoint${of}`, epoch) } },
      sendCheckpoint,
    );
    app.get<LogRequest>(`${path}/tile/*`, { config: { outline: tile(`readTile${of}`, epoch) } }, sendTile);
  }

  const route = { config: { outline: READ_LOG_ENTRIES } };
  app.get<LogRequest>(`${PATH}/entries`, route, async (request, reply) => {
    const { from } = parseOrThrow(entriesQuery, request.query);
    const { log, isPublic } = await open(request, 'ballots');
    const batches = logs.readBallots(log, from, MAX_ENTRIES)[Symbol.asyncIterator]();
    // Before the headers, so that a lost engine is an error reply.
    const first = await batches.next();
    reply.header('cache-control', isPublic ? 'no-cache' : 'private, no-store');
    return reply.type(acceptedType(request, 'application/x-ndjson')).send(Readable.from(lines()));

    async function* lines() {
      let sequence = from;
      for (let batch = first; !batch.done; batch = await batches.next()) {
        await turns.take(request);
        const start = sequence;
        yield batch.value.map((ballot, index) => lineOf(ballot, start + index)).join('');
        sequence += batch.value.length;
      }
    }
  });
}

function bodyOf({ origin, key, size, isComplete, breaks }: PollLog, { poll, results }: Reading) {
  return {
    poll_id: poll.id,
    origin,
    key,
    size,
    ended: results.status === 'closed' && isComplete,
    breaks: breaks.map(({ note, foundAtMs }) => ({ checkpoint: note, found_at: formatTime(foundAtMs) })),
  };
}

function parseTile(
  path: string,
): { readonly level: number | 'entries'; readonly index: number; readonly width: number } | undefined {
  const [, level, digits = '', width] = TILE.exec(path) ?? [];
  if (level === undefined || /^x000/.test(digits) || Number(width) >= FULL_TILE) return undefined;
  return {
    level: level === 'entries' ? level : Number(level),
    index: Number(digits.replaceAll(/[x/]/g, '')),
    width: width === undefined ? FULL_TILE : Number(width),
  };
}

/** Without a member that depends on the voter. */
function lineOf(ballot: LoggedBallot | undefined, sequence: number): string {
  const nonce = ballot && Buffer.from(logHashes.nonce(ballot.ballotId)).toString('base64');
  const { answers, source, voided, replaces } = ballot ?? {};
  const line = ballot ? { sequence, nonce, answers, source, replaces, voided } : { sequence, lost: true };
  return `${JSON.stringify(line)}\n`;
}

const LOG_ERRORS = ['log_not_found', 'log_hidden', 'log_unavailable', 'round_not_found'] as const;
const EPOCH = { name: 'epoch', description: 'The epoch of the log, from 2 on.', pattern: '^[1-9]\\d{0,5}$' };

const READ_LOG: Outline = {
  id: 'readLog',
  summary: 'The log of a verifiable poll',
  description:
    'An append-only log of the ballots, by which anyone can check the result: its name, the key of its signatures and its size. Hidden with the results, unless the poll was created with `show_log_size`.\n\nIf ballots were lost or changed, the log begins again under another `origin`, and `breaks` has the last checkpoint before that.',
  key: 'optional',
  takes: ['key'],
  replies: { 200: json('The log.', 'PollLog') },
  errors: LOG_ERRORS,
};

const checkpoint = (id: string, epoch: readonly PathParameter[]): Outline => ({
  id,
  summary: 'The newest checkpoint of the log',
  description: 'A C2SP signed note. While votes come, it is ten seconds old at most, usually five.',
  key: 'optional',
  path: epoch,
  takes: ['key'],
  replies: { 200: { description: 'Origin, size, root and signature.', types: ['text/plain'] } },
  errors: LOG_ERRORS,
});

const tile = (id: string, epoch: readonly PathParameter[]): Outline => ({
  id,
  summary: 'A tile of the log',
  description:
    'C2SP tlog-tiles, within the newest checkpoint. An index from 1,000 on has further parts of the path, as in `x001/234`, and a tile that is not full ends in `.p/<width>`.',
  key: 'optional',
  wildcard: '{level}/{index}',
  path: [
    ...epoch,
    { name: 'level', description: 'Level of the hashes, or `entries`.', pattern: '^(entries|[0-6])$' },
    { name: 'index', description: 'Index of the tile, in three digits.', pattern: '^\\d{3}$' },
  ],
  takes: ['key'],
  replies: { 200: { description: 'Hashes or entries.', types: [BYTES_TYPE] } },
  errors: [...LOG_ERRORS, 'tile_not_found'],
});

const READ_LOG_ENTRIES: Outline = {
  id: 'readLogEntries',
  summary: 'The ballots of a closed poll',
  description:
    'At most 10,000 lines of JSON within the newest checkpoint, without any data of the voters: `{"sequence": 1, "nonce": "<base64>", "answers": ["<id>"]}`. A change of a ballot has `"replaces": 1`, the place of the first one of that voter, whose answers it replaces: the last change counts, and one without answers is a withdrawal. Ballots from chat have their platform, such as `"source": "twitch"`; ballots that the creator removed have `"voided": true`; a ballot that is not stored any more is `{"sequence": 7, "lost": true}`.',
  key: 'optional',
  query: entriesQuery,
  takes: ['key'],
  replies: {
    200: {
      description: 'The ballots, in order.',
      types: ['application/x-ndjson', BYTES_TYPE],
    },
  },
  errors: [...LOG_ERRORS, 'log_open'],
};
