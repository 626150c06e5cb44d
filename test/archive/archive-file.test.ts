import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openArchive, writeLines } from '../../src/archive/archive-file.ts';
import { importArchive } from '../../src/archive/import-archive.ts';
import { writeNew, writeText } from '../../src/archive/new-file.ts';
import { createLogKey } from '../../src/audit/checkpoint-signer.ts';
import { LOG_KEY } from '../../src/audit/poll-logs.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import {
  addWebhook,
  drawWebhook,
  listWebhooks,
  progressRecord,
  WEBHOOKS,
  type Webhook,
} from '../../src/events/webhooks.ts';
import type { PollId } from '../../src/poll/poll.ts';
import { idOfRound } from '../../src/poll/poll.ts';
import { findJoined, ownerPoll, takeJoinCode } from '../../src/show/join-codes.ts';
import { listOperatorKeys } from '../../src/show/operator-keys.ts';
import { nextRound } from '../contract/engine/again-claims.ts';
import { ballotFor, newPoll, openPoll } from '../contract/engine/engine-subject.ts';

const SECRET = 'S'.repeat(43);

let folder: string;
let lines: string[];
let ids: string[];
let names = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallycast-archive-'));
  const engine = await openEngine({ dataDir: join(folder, 'source') });
  const polls = [await openPoll({ engine, other: engine }), await openPoll({ engine, other: engine })];
  ids = polls.map(({ poll }) => poll.id).sort();
  for (const poll of polls)
    for (let n = 0; n < 3; n += 1) await engine.castBallot(ballotFor(poll, { voter: `voter-${n}` }));
  await engine.records.put('secret:voting', SECRET);
  await engine.records.put('show:friday', JSON.stringify({ title: 'Friday', onAir: null, keyHash: '' }));
  const counts = { records: 0, polls: 0, ballots: 0 };
  const path = join(folder, 'whole.jsonl');
  await writeNew(path, part => writeText(writeLines(engine.archive, counts, 1), part, false));
  expect(counts).toEqual({ records: 2, polls: 2, ballots: 6 });
  lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  await engine.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileOf(content: string | Buffer): Promise<string> {
  names += 1;
  const path = join(folder, `${names}.jsonl`);
  await writeFile(path, content);
  return path;
}

/** With a valid checksum. */
function summed(changed: readonly string[]): string {
  const before = changed
    .slice(0, -1)
    .map(line => `${line}\n`)
    .join('');
  const sha256 = createHash('sha256').update(before).digest('hex');
  return `${before}${JSON.stringify({ ...JSON.parse(changed.at(-1)!), sha256 })}\n`;
}

/** The archive with additional records. */
const withRecords = (...more: object[]) => {
  const written = more.map(record => JSON.stringify({ type: 'record', expiresAtMs: null, ...record }));
  return summed([lines[0]!, ...written, ...lines.slice(1)]);
};

const KEY = {
  id: '0123abcd',
  name: 'desk',
  scopes: ['manage'],
  hash: 'a'.repeat(64),
  createdAtMs: 1,
  expiresAtMs: null,
};
const keysOf = (...keys: object[]) => ({ name: 'operator-keys', text: JSON.stringify({ keys }) });
const KEPT_REPLY = {
  name: `kept-reply:${'b'.repeat(64)}`,
  expiresAtMs: Date.now() + 3_600_000,
  text: JSON.stringify({ bodyHash: 'c'.repeat(64), sealed: 'sealed' }),
};

const edited = (type: string, edit: (line: Record<string, unknown>) => object) => {
  const at = lines.findIndex(line => JSON.parse(line).type === type);
  return summed(lines.map((line, index) => (index === at ? JSON.stringify(edit(JSON.parse(line))) : line)));
};

async function openPlace() {
  names += 1;
  return openEngine({ dataDir: join(folder, `place ${names}`) });
}

async function importInto(
  engine: Awaited<ReturnType<typeof openPlace>>,
  path: string,
  into?: 'empty' | 'replace',
  withKeys?: boolean,
) {
  const { items, close } = await openArchive(path);
  return importArchive(engine, { items, into, withKeys, nowMs: Date.now() }).finally(close);
}

describe('an archive', () => {
  it.each<[string, () => string | Buffer, RegExp]>([
    ['nothing', () => '', /is empty/],
    [
      'other data',
      () => Buffer.from('\u0000\u0001 other data'),
      /^\S+ cannot be read as an archive: its file is not of this program$/,
    ],
    ['zeros', () => Buffer.alloc(50_000), /cannot be read as an archive/],
    ['other JSON', () => '{"polls": []}\n', /Line 1 does not belong to an archive/],
    ['half of the text', () => summed(lines).slice(0, 900), /is not JSON: the file is truncated/],
    ['the last line missing', () => `${lines.slice(0, -1).join('\n')}\n`, /its last line is missing/],
    [
      'a changed byte',
      () => summed(lines).replace('voter', 'voter').replace('"votes":[3', '"votes":[4'),
      /its checksum does not match/,
    ],
    ['a line twice', () => summed([...lines.slice(0, -1), lines.at(-2)!, lines.at(-1)!]), /damaged: poll/],
    ['half a compressed file', () => gzipSync(summed(lines)).subarray(0, 300), /cannot be read/],
    ['another format', () => edited('tallycast', line => ({ ...line, format: 6 })), /has format 6.* reads 5/],
    ['an unknown member', () => edited('poll', line => ({ ...line, weights: [1] })), /weights/],
    [
      'an unknown type of line',
      () => edited('comment', x => x) && edited('record', line => ({ ...line, type: 'weights' })),
      /does not belong to an archive/,
    ],
    [
      'a round without its poll',
      () => edited('poll', line => ({ ...line, type: 'round' })),
      /damaged: poll \w{12} does not follow its round 1/,
    ],
    [
      'additional votes',
      () => edited('poll', line => ({ ...line, votes: [4, 0, 0] })),
      /not the sum of its ballots/,
    ],
    [
      'a ballot missing',
      () => edited('poll', line => ({ ...line, voters: 4, votes: [4, 0, 0] })),
      /it counts 4 ballots/,
    ],
    [
      'a voter missing',
      () => edited('voters', () => ({ type: 'voters', digests: [] })),
      /it counts 3 voters but contains 0/,
    ],
    [
      'a ballot for another poll',
      () => edited('ballot', line => ({ ...line, answers: ['unknown'] })),
      /an unknown answer/,
    ],
    [
      'an operator key without a digest',
      () => withRecords(keysOf({ ...KEY, hash: undefined })),
      /record "operator-keys" is invalid: keys\.0\.hash/,
    ],
    ['keys that are not JSON', () => withRecords({ name: 'operator-keys', text: '{' }), /not JSON/],
    ['an unknown scope', () => withRecords(keysOf({ ...KEY, scopes: ['root'] })), /keys\.0\.scopes\.0/],
    ['an invalid show', () => withRecords({ name: 'show:monday', text: '[]' }), /record "show:monday"/],
    [
      'an invalid name of a show',
      () => withRecords({ name: 'show:A b', text: '{}' }),
      /not the name of a show/,
    ],
    [
      'a log that no server could continue',
      () => edited('poll', line => ({ ...line, log: '{"epoch":1}' })),
      /log not a log/,
    ],
    [
      'sequence numbers in a poll without a log',
      () => edited('ballot', line => ({ ...line, sequence: 7 })),
      /other sequence numbers/,
    ],
    ['a log key that is none', () => withRecords({ name: 'secret:log', text: 'x' }), /not a key of logs/],
    ['a short secret', () => withRecords({ name: 'secret:voting', text: 'x' }), /256 bits/],
    [
      'a kept reply that never expires',
      () => withRecords({ ...KEPT_REPLY, expiresAtMs: null }),
      /must expire/,
    ],
  ])('with %s is rejected and changes nothing', async (_, content, message) => {
    const place = await openPlace();
    const path = await fileOf(content());
    await expect(importInto(place, path)).rejects.toThrow(message);
    for await (const id of place.archive.listPolls()) expect(id).toBe('none');
    expect(await place.records.find('show:friday')).toBeUndefined();
    await place.close();
  });

  it('may be compressed and imported twice, and keeps newer changes', async () => {
    const place = await openPlace();
    const path = await fileOf(gzipSync(summed(lines)));
    expect(await importInto(place, path, 'empty')).toMatchObject({
      polls: 2,
      ballots: 6,
      records: 1,
      known: 0,
    });
    await place.records.put('show:friday', 'changed here');
    const reading = (await place.polls.find(ids[0]!))!;
    const ballot = {
      pollId: ids[0]!,
      answers: [reading.poll.answers[0]!.id],
      voter: 'new',
      address: 'new',
      ballotId: 'new',
    };
    expect((await place.castBallot(ballot)).outcome).toBe('accepted');
    expect((await place.castBallot({ ...ballot, voter: 'voter-1', ballotId: 'x' })).outcome).toBe(
      'duplicate_voter',
    );
    expect(await importInto(place, path)).toMatchObject({ polls: 0, ballots: 0, records: 0, known: 2 });
    expect((await place.polls.find(ids[0]!))!.results.totalVoters).toBe(4);
    expect(await place.records.find('show:friday')).toBe('changed here');
    await expect(importInto(place, path, 'empty')).rejects.toThrow('There are already polls');
    expect(await importInto(place, path, 'replace')).toMatchObject({ polls: 2, known: 0 });
    expect((await place.polls.find(ids[0]!))!.results.totalVoters).toBe(3);
    await place.close();
  });

  it('adds operator keys and kept replies only with the option, and counts what it skips', async () => {
    const place = await openPlace();
    const temporary = { name: 'audience', text: '["relay"]' };
    const foreign = ['constructor', '__proto__', 'operator-keys:x'].map(name => ({ name, text: '{}' }));
    const path = await fileOf(withRecords(keysOf(KEY), KEPT_REPLY, temporary, ...foreign));
    expect(await importInto(place, path)).toMatchObject({
      records: 1,
      skipped: { operatorKeys: 1, webhooks: 0, keptReplies: 1, passing: 4 },
      operatorKeys: [],
    });
    expect(await listOperatorKeys(place)).toEqual([]);
    expect(await importInto(place, path, undefined, true)).toMatchObject({
      records: 2,
      skipped: { operatorKeys: 0, webhooks: 0, keptReplies: 0, passing: 4 },
      operatorKeys: ['desk'],
    });
    expect(await listOperatorKeys(place)).toEqual([KEY]);
    expect(await place.records.find('audience')).toBeUndefined();
    for await (const { expiresAtMs } of place.archive.readRecords(name => name === KEPT_REPLY.name))
      expect(expiresAtMs).toBeLessThan(KEPT_REPLY.expiresAtMs + 3_600_000);
    await place.close();
  });

  it('has webhooks, which are added with the option beside those here, and get what happens from then on', async () => {
    const place = await openPlace();
    const here = await drawWebhook(place, 'https://hooks.example/here', ['poll.closed']);
    await addWebhook(place.records, here);
    const owned = { scope: { poll: 'abcdefghijkl' as PollId }, creator: 'digest' };
    const moved = [
      { ...(await drawWebhook(place, 'https://hooks.example/all', ['poll.opened'])), after: 900 },
      { ...(await drawWebhook(place, 'https://hooks.example/poll', ['poll.updated'], owned)), after: 900 },
    ];
    const path = await fileOf(withRecords({ name: WEBHOOKS, text: JSON.stringify({ webhooks: moved }) }));
    expect(await importInto(place, path)).toMatchObject({ skipped: { webhooks: 2 } });
    await importInto(place, path, undefined, true);
    await importInto(place, path, undefined, true);
    const after = await place.events.findNewest();
    expect(await listWebhooks(place.records)).toEqual([here, ...moved.map(one => ({ ...one, after }))]);
    await place.close();
  });

  it('leaves disabled webhooks disabled, and names those without room', async () => {
    const place = await openPlace();
    const scope = { scope: { poll: 'abcdefghijkl' as PollId } };
    const [one, two, three, four] = await Promise.all(
      ['one', 'two', 'three', 'four'].map(path =>
        drawWebhook(place, `https://hooks.example/${path}`, ['poll.closed'], scope),
      ),
    );
    const progress = { position: 900, done: [901], failingSinceMs: 5, disabledAtMs: 6 };
    const record = (webhook: Webhook) => ({
      name: progressRecord(webhook.id),
      text: JSON.stringify(progress),
    });
    const path = await fileOf(
      withRecords(
        record(two!),
        { name: WEBHOOKS, text: JSON.stringify({ webhooks: [one, two, three, four] }) },
        record(four!),
      ),
    );
    const full = [`${four!.id} (https://hooks.example/four)`];
    for (let times = 0; times < 2; times += 1)
      expect(await importInto(place, path, undefined, true)).toMatchObject({
        polls: times === 0 ? 2 : 0,
        webhooksFull: full,
      });
    expect(await listWebhooks(place.records)).toEqual([one, two, three]);
    const stored = (webhook: Webhook) => place.records.find(progressRecord(webhook.id));
    const position = await place.events.findNewest();
    expect(JSON.parse((await stored(two!))!)).toEqual({ position, failingSinceMs: 5, disabledAtMs: 6 });
    expect([await stored(one!), await stored(four!)]).toEqual([undefined, undefined]);
    await place.close();
  });

  it('skips what has expired', async () => {
    const place = await openPlace();
    const path = await fileOf(withRecords({ ...KEPT_REPLY, expiresAtMs: Date.now() - 1 }));
    expect(await importInto(place, path, undefined, true)).toMatchObject({ records: 1 });
    expect(await place.records.find(KEPT_REPLY.name)).toBeUndefined();
    await place.close();
  });

  it('keeps the join code of a poll unless another poll has it here', async () => {
    const [free, taken] = [await openPlace(), await openPlace()];
    const code = '482913';
    const other = newPoll({}, Date.now());
    expect(await takeJoinCode(taken, code, ownerPoll(other.poll.id))).toBe(true);
    await taken.polls.create({ ...other, poll: { ...other.poll, joinCode: code } });
    const path = await fileOf(
      edited('poll', line => ({ ...line, poll: { ...(line['poll'] as object), joinCode: code } })),
    );
    for (const place of [free, taken]) await importInto(place, path);
    const codesOf = async (place: typeof free) =>
      (await Promise.all(ids.map(id => place.polls.find(id)))).flatMap(found => found!.poll.joinCode ?? []);
    expect([await codesOf(free), await codesOf(taken)]).toEqual([[code], []]);
    expect(ids).toContain((await findJoined(free, code))?.poll);
    expect(await findJoined(taken, code)).toEqual({ poll: other.poll.id });
    for (const place of [free, taken]) await place.close();
  });

  it('leaves the key of the logs here, of which others have checkpoints', async () => {
    const place = await openPlace();
    const [here, there] = [createLogKey(), createLogKey()];
    await place.records.put(LOG_KEY, here);
    await importInto(place, await fileOf(withRecords({ name: LOG_KEY, text: there })), 'replace');
    expect(await place.records.find(LOG_KEY)).toBe(here);
    await place.close();
  });

  it('is rejected early if it expands too much', async () => {
    const place = await openPlace();
    const head = `${lines[0]}\n`;
    const name = 'n'.repeat(1_000);
    const record = `${JSON.stringify({ type: 'record', name, text: '', expiresAtMs: null })}\n`;
    const bomb = await fileOf(gzipSync(head + record.repeat(80_000)));
    let read = 0;
    const { items } = await openArchive(bomb);
    const reading = async () => {
      for await (const batch of items()) read += batch.length;
    };
    await expect(reading()).rejects.toThrow(/expands more than 100 times.*gunzip/);
    expect(read * record.length).toBeLessThan(34 * 1024 * 1024);
    const oneLine = await fileOf(gzipSync(Buffer.alloc(64 * 1024 * 1024, '{')));
    await expect(importInto(place, oneLine)).rejects.toThrow(/A line is too long/);
    await place.close();
  });

  it('is rejected if an existing poll lacks its ballots, so that no ballot is lost silently', async () => {
    const place = await openPlace();
    const at = lines.findIndex(line => JSON.parse(line).type === 'poll');
    await importInto(place, await fileOf(summed(lines)));
    const parts = lines.map(line => JSON.parse(line));
    const first = parts.findIndex(({ type }) => type === 'ballot');
    parts[first] = { ...parts[first], ballotId: 'cast after the first archive' };
    expect(at).toBeLessThan(first);
    const newer = await fileOf(summed(parts.map(part => JSON.stringify(part))));
    await expect(importInto(place, newer)).rejects.toThrow(/lack ballots of this archive: \w{12} \(1\)/);
    await place.close();
  });

  it('is rejected if existing polls use another voting secret, as voters could vote again', async () => {
    const [used, unused] = [await openPlace(), await openPlace()];
    for (const place of [used, unused]) await place.records.put('secret:voting', 'secret of the place');
    await used.polls.create(newPoll({}, Date.now()));
    const path = await fileOf(summed(lines));
    await expect(importInto(used, path)).rejects.toThrow('another voting secret');
    expect(await importInto(unused, path)).toMatchObject({ restart: true });
    expect(await unused.records.find('secret:voting')).toBe(SECRET);
    for (const place of [used, unused]) await place.close();
  });

  it('has the earlier rounds of a poll, which are imported, skipped and replaced with it', async () => {
    const [source, place] = [await openPlace(), await openPlace()];
    const made = await openPoll({ engine: source, other: source });
    const { id } = made.poll;
    for (const round of [1, 2, 3]) {
      for (let n = 0; n < round; n += 1) await source.castBallot(ballotFor(made, { round }));
      const reading = (await source.polls.find(id))!;
      if (round < 3) expect(await source.polls.again(id, nextRound(reading))).toBe(true);
    }
    const counts = { records: 0, polls: 0, ballots: 0 };
    const path = join(folder, 'rounds.jsonl');
    await writeNew(path, part => writeText(writeLines(source.archive, counts, 1), part, true));
    expect(counts).toEqual({ records: 0, polls: 1, ballots: 6 });
    const votersOf = async () => {
      const found = [1, 2].map(async round => (await place.polls.find(idOfRound(id, round)))!);
      return (await Promise.all([...found, place.polls.find(id)])).map(one => one?.results.totalVoters);
    };
    expect(await importInto(place, path)).toMatchObject({ polls: 1, ballots: 6, known: 0 });
    expect(await votersOf()).toEqual([1, 2, 3]);
    expect(await importInto(place, path)).toMatchObject({ polls: 0, ballots: 0, known: 1 });
    await place.castBallot(ballotFor(made, { round: 3 }));
    expect(await importInto(place, path, 'replace')).toMatchObject({ polls: 1, ballots: 6, known: 0 });
    expect(await votersOf()).toEqual([1, 2, 3]);
    await place.polls.remove(id);
    await place.polls.create(made);
    await expect(importInto(place, path)).rejects.toThrow(`lack ballots of this archive: ${id} (6)`);
    for (const engine of [source, place]) await engine.close();
  });

  it('skips polls past their retention', async () => {
    const place = await openPlace();
    const path = await fileOf(edited('poll', line => ({ ...line, expiresAtMs: 1 })));
    expect(await importInto(place, path)).toMatchObject({ polls: 1, expired: 1 });
    await place.close();
  });
});

describe('a data directory of another format', () => {
  it('is rejected in one line, by the server and by commands', async () => {
    const { open } = await import('lmdb');
    const dataDir = join(folder, 'newer');
    await (await openEngine({ dataDir })).close();
    const root = open({
      path: join(dataDir, 'tallycast.mdb'),
      noSubdir: true,
      maxDbs: 16,
      eventTurnBatching: false,
    });
    root.openDB({ name: 'about' }).putSync('format', 7);
    await root.close();
    for (const beside of [undefined, 'read', 'write'] as const)
      await expect(openEngine({ dataDir, beside })).rejects.toThrow(/has format 7|have format 7.* knows 1/);
  });
});
