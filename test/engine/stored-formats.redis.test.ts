// @module-tag redis-server
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { open } from 'lmdb';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { STORE_FILE } from '../../src/engine/engine.ts';
import { type EngineOptions, openEngine } from '../../src/engine/open-engine.ts';
import type { Ballot, StoredBallot } from '../../src/poll/ballot.ts';
import { type Answer, FLAGS, type PollKeys, type Results, toStoredPoll } from '../../src/poll/poll.ts';
import { findShow } from '../../src/show/shows.ts';
import { allBallots, expectSound, readPoll } from '../contract/engine/engine-subject.ts';
import { redisRig } from '../support/redis-rig.ts';
import { builtFile } from '../support/relay-process.ts';
import { makeDataDirectory } from './embedded/data-directory.ts';

/** Data of the release before this one, written by its code: see fixture/README.md. */
interface Fixture {
  /** As that code read its polls. */
  readonly expected: readonly {
    readonly title: string;
    readonly answers: readonly Answer[];
    readonly settings: Record<string, boolean>;
    readonly keys: PollKeys;
    readonly results: Omit<Results, 'readAtMs'>;
    readonly ballots: readonly StoredBallot[];
  }[];
  readonly cast: readonly (Ballot & { readonly version: number })[];
  /** The keys of Redis with bytes as characters, or the embedded engine's file as base64. */
  readonly stored: string | readonly StoredKey[];
}

interface StoredKey {
  readonly key: string;
  readonly type: 'hash' | 'list' | 'zset' | 'string';
  readonly value: string | readonly string[];
  readonly goesAtMs: number;
}

const FOLDER = new URL('./fixture/', import.meta.url);
const NAMES = readdirSync(FOLDER).filter(name => name.endsWith('.json.gz'));
const POLL_ID = (index: number) => `fixturePoll${'ABCDE'[index]}`;

const { start, clientOf, closeAfter } = redisRig();

function readFixture(name: string): Fixture {
  return JSON.parse(gunzipSync(readFileSync(new URL(name, FOLDER))).toString());
}

/** @returns how to open the engine on the fixture's data */
async function install({ stored }: Fixture): Promise<EngineOptions> {
  if (typeof stored === 'string') {
    const dataDir = await makeDataDirectory();
    writeFileSync(join(dataDir, STORE_FILE), Buffer.from(stored, 'base64'));
    return { dataDir };
  }
  const server = await start();
  const client = clientOf(server);
  for (const { key, type, value, goesAtMs } of stored) {
    const values = [value].flat().map(text => Buffer.from(text, 'latin1'));
    if (type === 'hash') await client.hset(key, ...values);
    else if (type === 'list') await client.rpush(key, ...values);
    else if (type === 'string') await client.set(key, values[0]!);
    else await client.zadd(key, ...values.reverse());
    if (goesAtMs > 0) await client.pexpireat(key, goesAtMs);
  }
  return { redisUrl: server.url };
}

async function openAt(options: EngineOptions): Promise<Engine> {
  const engine = await openEngine(options);
  closeAfter(() => engine.close());
  return engine;
}

describe.each(NAMES)('%s', name => {
  const fixture = readFixture(name);

  it('is read with every count, ballot, mark and setting', async () => {
    const options = await install(fixture);
    const engine = await openAt(options);
    for (const [index, { title, answers, settings, keys, results, ballots }] of fixture.expected.entries()) {
      const id = POLL_ID(index);
      const read = await readPoll(engine, id);
      expect(read.poll).toMatchObject({ id, title, answers });
      // Newer flags read as false.
      const flags = Object.values(FLAGS).map(({ wire }) => [wire, settings[wire] ?? false]);
      expect(toStoredPoll(read.poll).settings).toEqual(Object.fromEntries(flags));
      expect(read.keys).toMatchObject(keys);
      expect(read.results).toMatchObject(results);
      expect(await allBallots(engine, id)).toEqual(ballots);
      if (ballots.length > 0) await expectSound(engine, id);
    }
    expect(await engine.comments.list(POLL_ID(0))).toMatchObject([
      { id: 'c1', name: 'Ü', text: 'Two\nlines' },
    ]);
    expect(await findShow(engine, 'main')).toMatchObject({ onAir: POLL_ID(0) });
    const listed = await engine.polls.listPublic(10);
    expect([...listed].sort()).toEqual(
      fixture.expected.flatMap(({ settings }, index) => (settings['priv'] ? [] : [POLL_ID(index)])),
    );
    await expectUsed(engine, fixture);
  });
});

it('ends a start in one line if a newer release wrote the data', async () => {
  const server = await start();
  await clientOf(server).set('tallycast:format', '4');
  const dataDir = await makeDataDirectory();
  const files = open({ path: join(dataDir, STORE_FILE), noSubdir: true, maxDbs: 32 });
  files.openDB({ name: 'about' }).putSync('format', 2);
  await files.close();
  for (const options of [{ redisUrl: server.url }, { dataDir }]) {
    const { status, stderr } = runBuilt('start/main.js', options);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^[^\n]*format \d, and this version knows \d: start the version that wrote [^\n]*\n$/,
    );
  }
});

function runBuilt(program: string, { redisUrl, dataDir }: EngineOptions, ...args: string[]) {
  const settings = { REDIS_URL: redisUrl, DATA_DIR: dataDir, PORT: '0', VOTE_PORT: '0', HOST: '127.0.0.1' };
  const env = { ...process.env, ...settings };
  return spawnSync(process.execPath, [builtFile(program), ...args], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
}

/** Every ballot that was cast then is known, and so are its voter, its address and its proof. */
async function expectUsed(engine: Engine, { cast, expected }: Fixture): Promise<void> {
  const outcomes: string[] = [];
  const wanted: string[] = [];
  const open = expected.flatMap(({ results, settings }, index) =>
    results.status === 'open' ? [{ id: POLL_ID(index), sharesAddress: settings['mip'] }] : [],
  );
  for (const { version, ...ballot } of cast) {
    expect(await engine.polls.cast(ballot)).toEqual({ outcome: 'repeated', version });
    const poll = open.find(({ id }) => id === ballot.pollId);
    if (!poll) continue;
    const { proof, ...fresh } = {
      ...ballot,
      ballotId: randomUUID(),
      voter: randomUUID(),
      address: randomUUID(),
    };
    const outcomeOf = async (wishes: Partial<Ballot>) =>
      (await engine.polls.cast({ ...fresh, ...wishes })).outcome;
    outcomes.push(await outcomeOf({ voter: ballot.voter }));
    wanted.push('duplicate_voter');
    if (!poll.sharesAddress) {
      outcomes.push(await outcomeOf({ address: ballot.address }));
      wanted.push('duplicate_address');
    }
    if (!proof) continue;
    outcomes.push(await outcomeOf({ proof }));
    wanted.push('proof_used');
  }
  expect(outcomes).toEqual(wanted);
  const { version: _, ...last } = cast.find(({ pollId }) => pollId === POLL_ID(0))!;
  const stranger = { ...last, ballotId: randomUUID(), voter: randomUUID(), address: randomUUID() };
  const proof = { id: randomUUID(), expiresAtMs: Date.now() + 60_000 };
  expect(await engine.polls.cast({ ...stranger, proof })).toMatchObject({ outcome: 'accepted' });
}
