import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import type { ChatPlatform } from '../../src/poll/chat-platform.ts';
import { PollError } from '../../src/poll/poll-error.ts';
import type { ResultsBody } from '../../src/protocol/messages.ts';
import { readConfig, settingsOf } from '../../src/start/config.ts';
import { buildRelay, type RelayOptions } from '../../src/start/relay.ts';
import { openServices, type Services, type ServicesOptions } from '../../src/start/services.ts';

/** A listening relay on an engine of its own, and the few moves that every test of it makes. */
export interface TestRelay {
  readonly services: Services;
  readonly app: FastifyInstance;
  readonly engine: Engine;
  /** Like `http://127.0.0.1:12345`. */
  readonly url: string;
  /** Like `ws://127.0.0.1:12345`. */
  readonly wsUrl: string;
  create(poll?: Record<string, unknown>): Promise<CreatedPoll>;
  read(id: string, headers?: Record<string, string>): Promise<ResultsBody>;
  /** Casts ballots of fresh voters, one after the other. */
  cast(id: string, answer?: number, times?: number, source?: ChatPlatform): Promise<void>;
  close(): Promise<void>;
}

export interface CreatedPoll {
  readonly id: string;
  readonly admin_key: string;
  readonly view_key: string;
  readonly join_code?: string;
  readonly ignored: readonly string[];
}

/** A read without the parts of the definition that messages and lists of results leave out. */
export function inMessages<R extends ResultsBody>(read: R): R {
  const flags = ['co', 'ma', 'enter_name', 'only_reg', 'vpn', 'verifiable', 'chat_words', 'change_vote'];
  const ofDefinition = new Set(['description', ...flags, 'min_choices', 'max_choices', 'answer_order']);
  return Object.fromEntries(Object.entries(read).filter(([name]) => !ofDefinition.has(name))) as unknown as R;
}

const PATIENCE_MS = 60_000;
const RETRY_MS = 20;
let voters = 0;

export async function startTestRelay(
  options: Partial<RelayOptions & ServicesOptions> & {
    redisUrl?: string | undefined;
    redisPrefix?: string | undefined;
  } = {},
): Promise<TestRelay> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-'));
  const { redisUrl, redisPrefix } = options;
  const engine = options.engine ?? (await openEngine({ redisUrl, redisPrefix, dataDir }));
  const logger = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
  const services = await openServices({
    operatorKeys: [],
    relayUrl: 'http://relay.test',
    logger,
    ...options,
    engine,
  });
  const app = await buildRelay({
    ...settingsOf(readConfig({})),
    emptyPollDays: 0,
    emptyShowDays: 0,
    lacksSignIn: false,
    logger,
    createPerMinute: 100_000,
    createBytesPerDay: 1e12,
    maxConnectionsPerAddress: 100_000,
    relayUrl: 'http://relay.test',
    voteUrl: 'http://vote.test',
    ...options,
    services,
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    services,
    app,
    engine,
    url,
    wsUrl: url.replace('http', 'ws'),
    create: poll => createPoll(url, poll),
    read: (id, headers = {}) => readPoll(url, id, headers),
    cast: (id, answer = 0, times = 1, source) => castBallots(engine, id, answer, times, source),
    async close() {
      await app.close();
      services.close();
      if (!options.engine) await engine.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** @param key an operator's, where an address alone may not create as many */
export async function createPoll(
  url: string,
  poll: Record<string, unknown> = {},
  key?: string,
): Promise<CreatedPoll> {
  const body = JSON.stringify({
    poll: { title: 'Which song next?', answers: ['Waterloo', 'Volare'], mip: true, ...poll },
  });
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) };
  const response = await untilAvailable(async isLast => {
    const reply = await fetch(`${url}/api/poll`, { method: 'POST', headers, body });
    return reply.status === 503 && !isLast ? undefined : reply;
  });
  if (response.status !== 201)
    throw new Error(`creating failed: ${response.status} ${await response.text()}`);
  return (await response.json()) as CreatedPoll;
}

async function readPoll(url: string, id: string, headers: Record<string, string>): Promise<ResultsBody> {
  const response = await fetch(`${url}/api/poll/${id}`, { headers });
  if (!response.ok) throw new Error(`reading failed: ${response.status} ${await response.text()}`);
  return (await response.json()) as ResultsBody;
}

export async function castBallots(
  engine: Engine,
  id: string,
  answer: number,
  times: number,
  source?: ChatPlatform,
): Promise<void> {
  const poll = (await engine.polls.find(id))?.poll;
  const answerId = poll?.answers[answer]?.id;
  if (answerId === undefined) throw new Error(`poll ${id} has no answer ${answer}`);
  for (let cast = 0; cast < times; cast += 1) {
    voters += 1;
    const voter = `voter-${process.pid}-${voters}`;
    const ballot = {
      pollId: id,
      round: poll?.round,
      answers: [answerId],
      voter,
      address: voter,
      ballotId: voter,
      source,
    };
    const { outcome } = await untilAvailable(isLast =>
      engine.castBallot(ballot).catch((error: unknown) => {
        if (isLast || !(error instanceof PollError) || error.code !== 'engine_unavailable') throw error;
        return undefined;
      }),
    );
    // Repeated where the first try was counted after all.
    if (!['accepted', 'repeated'].includes(outcome)) throw new Error(`casting failed: ${outcome}`);
  }
}

/** An engine may be late on a busy machine, so preparations are retried. */
export async function untilAvailable<T>(attempt: (isLast: boolean) => Promise<T | undefined>): Promise<T> {
  const startedMs = performance.now();
  for (;;) {
    const result = await attempt(performance.now() - startedMs > PATIENCE_MS);
    if (result !== undefined) return result;
    await new Promise(done => setTimeout(done, RETRY_MS));
  }
}
