// @module-tag redis-server
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiOptions } from '../../src/api/api-options.ts';
import { logRoutes } from '../../src/api/log-routes.ts';
import { CheckpointSigner, createLogKey } from '../../src/audit/checkpoint-signer.ts';
import { rootOf } from '../../src/audit/log-blocks.ts';
import { GrowingTree, type Hash, TILE_WIDTH } from '../../src/audit/merkle.ts';
import { logHashes, nodeCrypto } from '../../src/audit/node-crypto.ts';
import { PollLogs } from '../../src/audit/poll-logs.ts';
import { type PublishedResults, type Verdict, verifyLog } from '../../src/audit/verify-log.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { replyWithError } from '../../src/http/error-replies.ts';
import { FairTurns } from '../../src/http/fair-turns.ts';
import { createPollId } from '../../src/poll/create-poll.ts';
import { type Poll, type PollId, pollSettings } from '../../src/poll/poll.ts';
import { publicMembers } from '../../src/poll/poll-members.ts';
import { resultsBody } from '../../src/protocol/results-body.ts';
import { drawer, SEED } from '../support/seed.ts';
import {
  embeddedStorage,
  type LogStorage,
  linkEntries,
  redisStorage,
  type StoredEntry,
  type StoredLogData,
} from './stored-log.ts';

/** Of each engine. */
const MANIPULATIONS = 500;
/** In one test, so that none waits long. */
const GROUP = 50;
/** Two full blocks and a part of one. */
const SIZE = 700;
const SEEN = [90, 300, 512, SIZE];
const ANSWERS = ['a', 'b', 'c'];
const MINUTE_MS = 60_000;

type Ballots = readonly Omit<StoredEntry, 'sequence'>[];

interface Drawn {
  readonly name: string;
  readonly data: StoredLogData;
}

describe.each([
  ['redis', redisStorage, SEED],
  ['embedded', embeddedStorage, SEED + MANIPULATIONS],
] as const)(
  `stored data on the %s engine, changed after a checkpoint was seen (SEED=${SEED})`,
  (_, openStorage, seed) => {
    const poll = newPoll();
    let nowMs = 1_800_000_000_000;
    let storage: LogStorage;
    let original: StoredLogData;
    /** The signed checkpoints of `SEEN`. */
    const notes: string[] = [];

    const newLogs = (engine: Pick<Engine, 'polls' | 'records'>) =>
      new PollLogs({
        engine,
        relayUrl: 'https://vote.example',
        log: { error: () => {} },
        clock: () => nowMs,
      });

    beforeAll(async () => {
      storage = await openStorage();
      const { engine } = storage;
      const keys = { adminKeyHash: 'a'.repeat(64), viewKeyHash: 'b'.repeat(64) };
      await engine.polls.create({ poll, keys, deadlineMs: null, resultsVisibility: 'always' });
      const logs = newLogs(engine);
      const voters: string[] = [];
      const draw = drawer(seed);
      for (let cast = 1; cast <= SIZE; cast += 1) {
        const ballotId = randomUUID();
        const isChange = draw(5) < 2 && voters.length > 0;
        const voter = isChange ? voters[draw(voters.length)]! : ballotId;
        const answers = isChange && draw(4) === 0 ? [] : [ANSWERS[draw(3)]!];
        const change = isChange ? {} : undefined;
        const ballot = { pollId: poll.id, answers, voter, address: voter, ballotId, change };
        expect((await engine.polls.cast(ballot)).outcome).toBe('accepted');
        if (!isChange) voters.push(voter);
        if (!SEEN.includes(cast)) continue;
        nowMs += MINUTE_MS;
        notes.push((await logs.find(poll))!.note);
      }
      await engine.polls.change(poll.id, { closed: true });
      original = await storage.read(poll.id);
    });
    afterAll(() => storage.close());

    /** @param remembers the process has served the log before the change */
    async function verdictOn(
      data: StoredLogData,
      seen: string | undefined,
      remembers: boolean,
    ): Promise<Verdict> {
      let opened = await storage.open(remembers ? original : data);
      const logs = newLogs({
        get polls() {
          return opened.engine.polls;
        },
        get records() {
          return opened.engine.records;
        },
      });
      if (remembers) {
        await logs.find(poll, true);
        await opened.close();
        opened = await storage.open(data);
      }
      nowMs += MINUTE_MS;
      try {
        return await verify(opened.engine, logs, poll.id, seen);
      } finally {
        await opened.close();
      }
    }

    it('is verified as it was', async () => {
      for (const note of notes)
        for (const remembers of [true, false])
          expect(await verdictOn(original, note, remembers)).toMatchObject({ faults: [], isComplete: true });
    });

    it('is verified after a good forgery, if no checkpoint was seen', async () => {
      // A change counts for an earlier ballot, which these may have moved behind it.
      const isGood = (name: string) =>
        /(?<!lost|moved|exchanged|a change), the log (deleted|rebuilt)$/.test(name);
      for (let number = 0, good = 0; good < 20; number += 1) {
        const { name, data } = manipulate(original, poll.id, notes[3]!, drawer(seed + number));
        if (!isGood(name)) continue;
        expect(await verdictOn(data, undefined, false), name).toMatchObject({ faults: [], isComplete: true });
        good += 1;
      }
    });

    it.each(Array.from({ length: MANIPULATIONS / GROUP }, (_, index) => index * GROUP))(
      `is not verified: %i to +${GROUP - 1}`,
      async first => {
        for (let number = first; number < first + GROUP; number += 1) {
          const draw = drawer(seed + number);
          const note = notes[draw(notes.length)]!;
          const { name, data } = manipulate(original, poll.id, note, draw);
          const { faults } = await verdictOn(data, note, draw(2) === 0);
          expect(faults, `manipulation ${number} of SEED=${SEED}: ${name}`).not.toEqual([]);
        }
      },
    );
  },
);

function newPoll(): Poll {
  return {
    id: createPollId(),
    title: 'Which?',
    description: '',
    image: null,
    createdAtMs: 1_800_000_000_000,
    answers: ANSWERS.map(id => ({ id, text: id })),
    settings: pollSettings({ isVerifiable: true, sharedAddress: true, allowChange: true }),
  };
}

/** By the routes of the relay. */
async function verify(
  engine: Engine,
  logs: PollLogs,
  pollId: PollId,
  seen: string | undefined,
): Promise<Verdict> {
  const app = Fastify();
  app.setErrorHandler(replyWithError);
  const readPoll = (id: PollId) => engine.polls.find(id);
  const turns = new FairTurns();
  const options = { engine, readPoll, logs, turns, isOperatorKey: () => false } as unknown as ApiOptions;
  await app.register(logRoutes, options);
  const reading = (await readPoll(pollId))!;
  const results = { ...resultsBody(reading), ...publicMembers(reading.poll) } as PublishedResults;
  const verdict = await verifyLog({
    pollId,
    crypto: nodeCrypto,
    results,
    seen: seen === undefined ? [] : [{ name: 'the checkpoint seen', note: seen }],
    async read(path) {
      const { statusCode, rawPayload, body } = await app.inject(`/api/poll/${pollId}${path}`);
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${body}`);
      return new Response(new Uint8Array(rawPayload));
    },
  });
  await app.close();
  return verdict;
}

/**
 * Changes the data as somebody would who knows the format and the key, so that as little as possible shows it.
 *
 * @param seen the checkpoint that contradicts the change
 */
function manipulate(
  data: StoredLogData,
  pollId: PollId,
  seen: string,
  draw: (limit: number) => number,
): Drawn {
  if (draw(5) === 0) return replaceCheckpoint(data, pollId, draw);
  if (draw(8) === 0) return replaceResults(data, draw);
  const [changed, kind] = manipulateBallots(data.ballots, Number(seen.split('\n')[1]), draw);
  const ids = new Set(changed.map(ballot => ballot?.ballotId));
  const ballots = changed.flatMap((ballot, at) => {
    if (!ballot) return [];
    // A withdrawal is none without its ballot.
    const isEmpty = ballot.answers.length === 0 && !ids.has(ballot.replaces);
    return [{ ...ballot, sequence: at + 1, ...(isEmpty && { answers: [ANSWERS[0]!] }) }];
  });
  const counted = linkEntries(ballots).flatMap(({ answers, replaces, lastChange }) =>
    replaces === undefined ? (lastChange?.answers ?? answers) : [],
  );
  const votes = Object.fromEntries(ANSWERS.map(id => [id, counted.filter(answer => answer === id).length]));
  const after = { ...data, ballots, last: changed.length, votes };
  switch (draw(4)) {
    case 0:
      return { name: `${kind}, the log left`, data: { ...after, log: data.log } };
    case 1:
      return { name: `${kind}, the log deleted`, data: { ...after, log: {} } };
    case 2:
      return { name: `${kind}, the log rebuilt`, data: { ...after, log: builtLog(after, pollId, data.key) } };
    default:
      return {
        name: `${kind}, the log rebuilt as another epoch`,
        data: { ...after, log: builtLog(after, pollId, data.key, { epoch: 2 }) },
      };
  }
}

/** Returns ballots in their new order, undefined for lost ones. The first change is within what was seen. */
function manipulateBallots(
  original: Ballots,
  seenSize: number,
  draw: (limit: number) => number,
): [ballots: readonly (Ballots[number] | undefined)[], kind: string] {
  const ballots: (Ballots[number] | undefined)[] = [...original];
  const at = draw(seenSize);
  const ballot = original[at]!;
  const fresh = { ballotId: randomUUID(), answers: [ANSWERS[draw(3)]!] };
  switch (draw(10)) {
    case 0:
      ballots.splice(at, 0, fresh);
      return [ballots, 'a ballot added'];
    case 1:
      ballots.splice(at, 1);
      return [ballots, 'a ballot removed'];
    case 2:
      ballots[at] = undefined;
      return [ballots, 'a ballot lost'];
    case 3:
      return [ballots.slice(0, at), 'the last ballots removed'];
    case 4: {
      const answer = ANSWERS[(ANSWERS.indexOf(ballot.answers[0]!) + 1 + draw(2)) % 3]!;
      ballots[at] = { ...ballot, answers: [answer] };
      return [ballots, 'an answer changed'];
    }
    case 5:
      ballots[at] = fresh;
      return [ballots, 'a ballot replaced'];
    case 6: {
      const other = (at + 1 + draw(ballots.length - 1)) % ballots.length;
      [ballots[at], ballots[other]] = [ballots[other], ballots[at]];
      return [ballots, 'two ballots exchanged'];
    }
    case 7: {
      if (ballot.replaces !== undefined) {
        ballots[at] = { ...ballot, replaces: undefined };
        return [ballots, 'a change made a ballot'];
      }
      const { ballotId: replaces } = original[(at + 1 + draw(original.length - 1)) % original.length]!;
      ballots[at] = { ...ballot, replaces };
      return [ballots, 'a ballot made a change'];
    }
    case 8: {
      const place = original.findIndex((one, index) => index >= at && one.replaces !== undefined);
      if (place < 0 || place >= seenSize) return [ballots.slice(0, at), 'the last ballots removed'];
      const { answers, ...change } = original[place]!;
      ballots[place] = { ...change, answers: answers.length === 0 ? fresh.answers : [] };
      return [ballots, 'a change withdrawn, or a withdrawal taken back'];
    }
    default:
      ballots.splice(draw(at + 1), 0, ...ballots.splice(at, 1));
      if (ballots[at] === ballot) ballots.push(...ballots.splice(at, 1));
      return [ballots, 'a ballot moved'];
  }
}

/** Leaves the log: counts as before a change, or as after one that there was not. */
function replaceResults(data: StoredLogData, draw: (limit: number) => number): Drawn {
  const votes = { ...data.votes };
  const [from, to] = [ANSWERS[draw(3)]!, ANSWERS[draw(3)]!];
  votes[from]! -= 1;
  if (to !== from) votes[to]! += 1;
  return {
    name: to === from ? 'the results: a vote removed' : 'the results: a vote moved',
    data: { ...data, votes },
  };
}

interface Forgery {
  readonly epoch?: number;
  readonly size?: number;
  readonly root?: Hash;
}

/** Returns a log in its stored form, signed with the key, of true roots unless it is forged. */
function builtLog(
  { ballots, last, log }: StoredLogData,
  pollId: PollId,
  key: string,
  { epoch = 1, size = last, root }: Forgery = {},
): Record<string, string> {
  const { base } = JSON.parse(log['']!) as { base: string };
  const origin = epoch === 1 ? base : `${base}/${epoch}`;
  const leaves: Hash[] = Array.from({ length: last }, () => logHashes.leaf(new Uint8Array(32)));
  for (const { ballotId, ...entry } of linkEntries(ballots))
    leaves[entry.sequence - 1] = logHashes.leaf(logHashes.entry(logHashes.nonce(ballotId), pollId, entry));
  const tree = new GrowingTree(logHashes);
  for (const leaf of leaves) tree.append(leaf);
  const blocks: Hash[] = [];
  for (let first = 0; first + TILE_WIDTH <= last; first += TILE_WIDTH)
    blocks.push(rootOf(leaves.slice(first, first + TILE_WIDTH)));
  const signed = root ?? tree.root();
  const note = new CheckpointSigner(key).sign({ origin, size, root: signed });
  const state = { ...JSON.parse(log['']!), epoch, size, note, root: Buffer.from(signed).toString('base64') };
  const parts = blocks.length === 0 ? {} : { [`${epoch}-0`]: Buffer.concat(blocks).toString('base64') };
  return { '': JSON.stringify(state), ...parts };
}

/**
 * Leaves ballots and counts. An older checkpoint of the same log is no manipulation: the next one
 * is the same as before.
 */
function replaceCheckpoint(data: StoredLogData, pollId: PollId, draw: (limit: number) => number): Drawn {
  const root = logHashes.leaf(Buffer.from(`forged ${draw(1_000_000)}`));
  const replaced = (name: string, log: Record<string, string>, key = data.key): Drawn => ({
    name: `the checkpoint replaced: ${name}`,
    data: { ...data, key, log },
  });
  const state = JSON.parse(data.log['']!) as { note: string };
  const withNote = (note: string) => ({ ...data.log, '': JSON.stringify({ ...state, note }) });
  switch (draw(6)) {
    case 0:
      return replaced('another root', builtLog(data, pollId, data.key, { root }));
    case 1:
      return replaced('another size', builtLog(data, pollId, data.key, { size: 1 + draw(2 * SIZE), root }));
    case 2: {
      const key = createLogKey();
      return replaced('another key', builtLog(data, pollId, key), key);
    }
    case 3: {
      const at = draw(20) + state.note.lastIndexOf(' ') + 8;
      const letter = state.note[at] === 'A' ? 'B' : 'A';
      return replaced(
        'another signature',
        withNote(state.note.slice(0, at) + letter + state.note.slice(at + 1)),
      );
    }
    case 4: {
      const { note } = JSON.parse(builtLog(data, pollId, data.key, { root })['']!) as { note: string };
      return replaced('another note', withNote(note));
    }
    default: {
      // A process that dies after a ballot leaves the note of one ballot less, and that is no manipulation.
      const size = draw(SIZE - 1);
      const origin = state.note.split('\n', 1)[0]!;
      const tree = new GrowingTree(logHashes);
      for (const { ballotId, ...entry } of linkEntries(data.ballots).slice(0, size))
        tree.append(logHashes.leaf(logHashes.entry(logHashes.nonce(ballotId), pollId, entry)));
      const signer = new CheckpointSigner(data.key);
      return replaced('the note of an older one', withNote(signer.sign({ origin, size, root: tree.root() })));
    }
  }
}
