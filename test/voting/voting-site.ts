import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import type { VotingRateLimits } from '../../src/pages/guard/rate-limit.ts';
import { lazySecret, type VotingSecret } from '../../src/pages/voter/voting-secret.ts';
import { planCorrection, type WantedWording } from '../../src/poll/correct-poll.ts';
import { createAnswerId, createEdition, createPollId, draftToPoll } from '../../src/poll/create-poll.ts';
import type { Poll } from '../../src/poll/poll.ts';
import { createKey, hashKey } from '../../src/poll/poll-key.ts';
import { checkDraft } from '../../src/poll/poll-schema.ts';
import { drawJoinCode, ownerPoll, withJoinCodes } from '../../src/show/join-codes.ts';
import { readConfig, settingsOf } from '../../src/start/config.ts';
import { openServices, type Services } from '../../src/start/services.ts';
import { buildVotingServer, type VotingOptions } from '../../src/start/voting-server.ts';
import { findFreePort } from '../support/free-port.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { Visitor, type VisitorOptions } from './visitor.ts';

/** Solved in a few milliseconds. */
export const TEST_PROOF_COST = 1;
const ROOMY = {
  pages: 1e6,
  ballots: 1e6,
  newcomers: 1e6,
  comments: 1e6,
  creates: 1e6,
  keys: 1e6,
  streams: 1e6,
};

export interface TestPoll {
  readonly poll: Poll;
  readonly id: string;
  readonly adminKey: string;
  readonly viewKey: string;
}

/** A voting front end with its own engine. */
export interface VotingSite {
  readonly services: Services;
  readonly engine: Engine;
  readonly server: FastifyInstance;
  createPoll(draft?: Record<string, unknown>): Promise<TestPoll>;
  /** A browser with its own cookies and address. */
  visitor(options?: VisitorOptions): Visitor;
  /** Votes of each answer, and ballots. */
  counts(id: string): Promise<{ votes: readonly number[]; voters: number }>;
  close(): Promise<void>;
}

/** Corrects the texts of a poll. */
export async function reword({ engine }: Pick<VotingSite, 'engine'>, id: string, wanted: WantedWording) {
  const { correction } = planCorrection((await engine.polls.find(id))!, wanted, {
    edition: createEdition(),
    createAnswerId,
  });
  if (!(await engine.polls.change(id, { correction }))) throw new Error('the correction was rejected');
}

export const VOTE_URL = 'http://vote.test';

/** Defaults are those of the settings, but without rate limits. */
type SiteOptions = Partial<Omit<VotingOptions, 'rateLimits' | 'services'>> & {
  readonly engine?: Engine;
  readonly operatorKeys?: readonly string[];
  readonly clock?: () => number;
  readonly rateLimits?: Partial<VotingRateLimits>;
};

export async function startVotingSite(options: SiteOptions = {}): Promise<VotingSite> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallycast-voting-'));
  const engine = options.engine ?? (await openEngine({ dataDir }));
  const relayUrl = options.relayUrl ?? 'http://relay.test';
  const services = await openServices({
    engine,
    logger: options.logger ?? pino({ level: 'silent' }),
    operatorKeys: options.operatorKeys ?? [],
    relayUrl,
    clock: options.clock,
  });
  const server = await buildVotingServer({
    ...settingsOf(readConfig({})),
    emptyPollDays: 0,
    emptyShowDays: 0,
    voteUrl: VOTE_URL,
    proofCost: TEST_PROOF_COST,
    ...options,
    relayUrl,
    rateLimits: { ...ROOMY, ...options.rateLimits },
    services,
  });
  await server.ready();
  return {
    services,
    engine,
    server,
    createPoll: draft => createPoll(engine, draft),
    visitor: visitorOptions =>
      new Visitor(server, { origin: options.voteUrl ?? VOTE_URL, ...visitorOptions }),
    async counts(id) {
      const reading = await engine.polls.find(id);
      if (!reading) throw new Error(`no poll ${id}`);
      return { votes: reading.results.votes, voters: reading.results.totalVoters };
    },
    async close() {
      await server.close();
      services.close();
      if (!options.engine) await engine.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Relay and voting front end, listening on their own ports. */
export interface LiveSite extends VotingSite {
  readonly relay: TestRelay;
  /** Like `http://127.0.0.1:12345`. */
  readonly url: string;
  /** A browser that connects to the port, through the request queues and the cookie gate. */
  phone(): Visitor;
}

function overTheWire(url: string): Pick<FastifyInstance, 'inject'> {
  const inject = async ({ method, url: path, headers, payload }: InjectOptions) => {
    const reply = await fetch(`${url}${path}`, {
      method: method as string,
      headers: headers as Record<string, string>,
      redirect: 'manual',
      ...(payload === undefined ? {} : { body: payload as string }),
    });
    const cookies = reply.headers.getSetCookie().map(text => {
      const [, name, value, attributes] = /^([^=]+)=([^;]*)(.*)$/.exec(text) as unknown as string[];
      const path = /; Path=([^;]*)/i.exec(attributes ?? '')?.[1];
      return { name, value: decodeURIComponent(value ?? ''), ...(path && { path }) };
    });
    const body = await reply.text();
    return { statusCode: reply.status, headers: Object.fromEntries(reply.headers), body, cookies };
  };
  return { inject: inject as unknown as FastifyInstance['inject'] };
}

export async function startLiveSite(
  options: SiteOptions = {},
  relayOptions: Parameters<typeof startTestRelay>[0] = {},
): Promise<LiveSite> {
  const relay = await startTestRelay(relayOptions);
  // The front end needs its public address before it listens.
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const site = await startVotingSite({
    engine: relay.engine,
    relayUrl: relay.url,
    voteUrl: url,
    ...options,
  });
  await site.server.listen({ host: '127.0.0.1', port });
  return {
    ...site,
    relay,
    url,
    phone: () => new Visitor(overTheWire(url), { origin: url }),
    async close() {
      await site.close();
      await relay.close();
    },
  };
}

export async function createPoll(engine: Engine, draft: Record<string, unknown> = {}): Promise<TestPoll> {
  const body = {
    poll: { title: 'Which song next?', answers: ['Waterloo', 'Volare', 'Hallelujah'], ...draft },
  };
  const nowMs = await engine.polls.now();
  // Checked at time 0, so that tests can set a deadline in the past.
  const { data: parsed } = checkDraft(body, 0);
  if (!parsed) throw new Error('Not the draft of a poll');
  const [adminKey, viewKey] = [createKey('admin'), createKey('view')];
  const keys = { adminKeyHash: hashKey(adminKey), viewKeyHash: hashKey(viewKey) };
  const created = draftToPoll(parsed.poll, createPollId(), keys, nowMs);
  await engine.polls.create(created);
  return { poll: created.poll, id: created.poll.id, adminKey, viewKey };
}

/** A private poll with a join code. */
export async function createPollWithCode(engine: Engine): Promise<{ id: string; code: string }> {
  const nowMs = await engine.polls.now();
  const id = createPollId();
  const code = await drawJoinCode(engine, ownerPoll(id));
  const { poll: draft } = checkDraft({ poll: { title: 'Now?', answers: ['Yes', 'No'], mip: true } }, nowMs)
    .data!;
  const keys = { adminKeyHash: 'a'.repeat(64), viewKeyHash: 'b'.repeat(64) };
  const made = draftToPoll(draft, id, keys, nowMs);
  await withJoinCodes(engine).polls.create({ ...made, poll: { ...made.poll, joinCode: code } });
  return { id, code };
}

/** The secret of the voting front ends on this engine, to forge cookies and tokens. */
export async function readSecret(engine: Engine): Promise<VotingSecret> {
  return lazySecret(engine.records)();
}
