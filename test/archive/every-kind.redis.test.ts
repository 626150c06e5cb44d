// @module-tag redis-server
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';
import { openArchive, writeLines } from '../../src/archive/archive-file.ts';
import { VOTING_SECRET } from '../../src/archive/archive-schema.ts';
import { importArchive } from '../../src/archive/import-archive.ts';
import { writeNew, writeText } from '../../src/archive/new-file.ts';
import { createLogKey } from '../../src/audit/checkpoint-signer.ts';
import { digestOf } from '../../src/engine/check-ballot.ts';
import { openTables } from '../../src/engine/embedded/embedded-tables.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import {
  type ARCHIVED_RECORDS,
  kindOfRecord,
  PASSING_RECORDS,
  type RecordName,
} from '../../src/engine/record-names.ts';
import { voidUsers } from '../../src/engine/void-ballots.ts';
import { createEdition } from '../../src/poll/create-poll.ts';
import { idOfRound, type PollId } from '../../src/poll/poll.ts';
import { encodeImage, readImage } from '../../src/poll/stored-image.ts';
import { drawJoinCode, findJoined, keepJoinCode, ownerPoll } from '../../src/show/join-codes.ts';
import { nextRound } from '../contract/engine/again-claims.ts';
import { ballotFor, openPoll, readPoll } from '../contract/engine/engine-subject.ts';
import { png } from '../support/images.ts';
import { redisRig } from '../support/redis-rig.ts';
import { voidBallots } from '../support/void-ballots.ts';

const rig = redisRig();
const NOW_MS = Date.now();
const CHAT = [{ platform: 'twitch', channel: 'friday' }];
const WEBHOOK = {
  url: 'https://hooks.example/all',
  events: ['poll.closed'],
  secret: 'whsec_c2VjcmV0',
  createdAtMs: 1,
  after: 0,
};
const [SENT, DISABLED] = ['0123456789abcdef01', 'fedcba987654321001'];
const image = readImage(png(2, 2), 'image');
const imageFocus = [12.5, 0] as const;

let folder: string | undefined;
afterAll(() => folder && rm(folder, { recursive: true, force: true }));

/** One text or more of each kind in archives, by the record's name. */
const TEXTS: Readonly<
  Record<keyof typeof ARCHIVED_RECORDS, readonly [name: RecordName, text: object | string][]>
> = {
  'show:': [
    [
      'show:friday',
      {
        title: 'Friday',
        onAir: null,
        keyHash: '',
        viewKey: { hash: 'b'.repeat(64), sealed: 'sealed' },
        id: 'its-id',
        logo: image.file,
        looks: { zW1Fiu5hZoAA: { style: 'versus', colors: ['#ff8800'] } },
        winner: 'press',
        winners: [{ poll: 'zW1Fiu5hZoAA', round: 1 }],
        chat: CHAT,
      },
    ],
    [
      'show:rehearsed',
      {
        title: '',
        onAir: 'rehearsal-zW1Fiu5hZoAA',
        keyHash: '',
        rundown: ['rehearsal', 'zW1Fiu5hZoAA'],
        last: 'rehearsal',
        place: 'rehearsal',
        rehearsal: { place: null, last: null },
      },
    ],
  ],
  'logo:': [['logo:friday', encodeImage(image)]],
  'ground:': [['ground:friday', encodeImage(image)]],
  'secret:voting': [[VOTING_SECRET, 'S'.repeat(43)]],
  'secret:log': [['secret:log', createLogKey()]],
  'operator-keys': [
    [
      'operator-keys',
      {
        keys: [
          {
            id: '0123abcd',
            name: 'desk',
            scopes: ['manage'],
            hash: 'a'.repeat(64),
            createdAtMs: 1,
            expiresAtMs: null,
          },
        ],
      },
    ],
  ],
  'chat:links': [['chat:links', [{ show: 'friday', by: 'digest', chat: CHAT, atMs: 1 }]]],
  webhooks: [['webhooks', { webhooks: [SENT, DISABLED].map(id => ({ id, ...WEBHOOK })) }]],
  'webhook:': [
    [`webhook:${SENT}`, { position: 7 }],
    [`webhook:${DISABLED}`, { position: 7, done: [8], failingSinceMs: 1, disabledAtMs: 2 }],
  ],
  'kept-reply:': [[`kept-reply:${'b'.repeat(64)}`, { bodyHash: 'c'.repeat(64), sealed: 'sealed' }]],
};

/** What stays behind, in the words of the document. */
const LEFT_OUT = [...new Set<string>(Object.values(PASSING_RECORDS)), 'stored parts of verifiable logs'];

/** An installation that has used everything. Returns the polls that have lived longest. */
async function fill(engine: Engine) {
  const subject = { engine, other: engine };
  const { polls, records } = engine;
  for (const [name, text] of Object.values(TEXTS).flat())
    await records.put(
      name,
      typeof text === 'string' ? text : JSON.stringify(text),
      name.startsWith('kept-reply:') ? 3_600_000 : undefined,
    );
  for (const name of Object.keys(PASSING_RECORDS) as RecordName[])
    await records.put(name.endsWith(':') ? (`${name}x` as RecordName) : name, '[]');

  const change = (id: PollId, wanted: Parameters<typeof polls.change>[1]) =>
    polls.change(id, wanted).then(done => expect(done).toBe(true));
  const again = async (id: PollId, members: Parameters<typeof nextRound>[1] = {}) =>
    expect(await polls.again(id, nextRound(await readPoll(engine, id), members))).toBe(true);
  const correct = async (id: PollId, withImage = false) => {
    const { poll: before } = await readPoll(engine, id);
    const answers = before.answers.map((answer, at) =>
      at === 0
        ? { ...answer, color: '#ff0000', ...(withImage && { image: image.file, imageFocus }) }
        : answer,
    );
    const after = {
      ...before,
      answers,
      ...(withImage && { imageFocus }),
      edition: createEdition(),
      earlier: [{ untilMs: NOW_MS, title: 'Before' }],
    };
    const correction = { before, after, isUnvoted: false, ...(withImage && { image: encodeImage(image) }) };
    await change(id, { correction });
  };

  const voted = await openPoll(subject, {
    requireName: true,
    allowMultiple: true,
    allowComments: true,
    isVerifiable: true,
    allowChange: true,
    emptyRetentionMs: 1_000,
    ageMs: 86_400_000,
  });
  const { id } = voted.poll;
  for (const round of [1, 2]) {
    const ballots = Array.from({ length: 6 }, (_, n) =>
      ballotFor(voted, {
        round,
        voter: `voter-${n}`,
        ballotId: `ballot-${round}-${n}`,
        name: `Käthe ${n}`,
        ...(n < 2 ? { source: 'twitch' } : { network: n < 4 ? 'one' : 'other' }),
        proof: { id: `proof-${round}-${n}`, expiresAtMs: NOW_MS + 3_600_000 },
      }),
    );
    for (const ballot of ballots) expect((await engine.castBallot(ballot)).outcome).toBe('accepted');
    for (const [n, answers] of [
      [4, [voted.poll.answers[1]!.id]],
      [5, []],
    ] as const)
      expect(
        await engine.castBallot({
          ...ballots[n]!,
          answers,
          ballotId: `change-${round}-${n}`,
          proof: undefined,
          change: {},
        }),
      ).toMatchObject({ outcome: 'accepted' });
    await voidBallots(polls, id, { network: 'one', toMs: NOW_MS + 3_600_000 });
    await voidUsers(polls, id, 'twitch', [`ballot-${round}-0`], NOW_MS);
    await correct(id, round === 1);
    const state = { epoch: 1, base: '', size: 0, root: '', note: '', atMs: 1, breaks: [] };
    await polls.replaceLog(id, '', JSON.stringify(state), { name: '0-0', text: 'tile' });
    if (round === 1) await again(id, { resultsVisibility: 'hidden' });
  }
  await change(id, { closed: true });
  await change(id, { revealedFrom: 2, viewKeyHash: 'c'.repeat(64), adminKeyHash: 'd'.repeat(64) });
  await engine.comments.add(id, { id: 'first', name: 'Ü', text: 'Two\nlines', writtenAtMs: 1 }, 10);
  const code = await drawJoinCode(engine, ownerPoll(id));
  await keepJoinCode(engine, code, ownerPoll(id));
  const { poll: before } = await readPoll(engine, id);
  await change(id, {
    correction: { before, after: { ...before, joinCode: code, edition: createEdition() }, isUnvoted: false },
  });

  // Its next round has no ballot, and the poll is kept for those of the first.
  const begun = await openPoll(subject, { emptyRetentionMs: 1_000, ageMs: 86_400_000 });
  await engine.castBallot(ballotFor(begun));
  await again(begun.poll.id);
  await openPoll(subject, {
    upcoming: true,
    closesInMs: 60_000,
    isPrivate: true,
    emptyRetentionMs: 86_400_000,
  });
  const settled = await openPoll(subject, { deadlineInMs: 60_000 });
  await change(settled.poll.id, { deadlineMs: NOW_MS - 1 });
  await readPoll(engine, settled.poll.id);
  await engine.events.markDeleted('AAAAAAAAAAAA');
  await engine.events.tell({
    subject: id,
    known: undefined,
    state: '{}',
    dueAtMs: NOW_MS + 60_000,
    listed: `1 ${id}`,
    events: ['{}'],
  });
  return { id, code, begun: begun.poll.id };
}

async function move(from: Engine, to: Engine, withKeys: boolean) {
  folder ??= await mkdtemp(join(tmpdir(), 'tallycast-kinds-'));
  const path = join(folder, `${Math.random()}.jsonl`);
  const counts = { records: 0, polls: 0, ballots: 0 };
  await writeNew(path, part => writeText(writeLines(from.archive, counts, 1), part, false));
  const { items, close } = await openArchive(path);
  return importArchive(to, { items, withKeys, nowMs: Date.now() }).finally(close);
}

type Dump = Map<string, unknown>;

/** Every key of a Redis, and every field of a poll, with its value. */
async function dumpRedis(client: Redis): Promise<Dump> {
  const found: Dump = new Map();
  for (const key of await client.keys('*')) {
    const type = await client.type(key);
    const expires = (await client.pexpiretime(key)) > 0;
    if (type === 'string') found.set(`${key}`, [await client.get(key), expires]);
    else if (type === 'list') found.set(key, [await client.lrange(key, 0, -1), expires]);
    else if (type === 'zset') found.set(key, await client.zrange(key, '0', '-1', 'WITHSCORES'));
    else if (type === 'stream') found.set(key, await client.xrange(key, '-', '+'));
    // Absent and empty fields are the same.
    else
      for (const [field, value] of Object.entries(await client.hgetall(key)))
        if (value !== '') found.set(`${key} ${field}`, value);
  }
  return found;
}

/** Every entry of every table of LMDB. Voters, addresses and proofs by their digests, as archives have them. */
async function dumpTables(dataDir: string): Promise<Dump> {
  const { directory: _, root, ...tables } = openTables(dataDir, 'read');
  const found: Dump = new Map();
  const hasDigests = new Set(
    [...tables.tallies.getRange({})].flatMap(({ key, value }) => (value.hasDigests ? [key] : [])),
  );
  const comparable = (table: string, value: Record<string, unknown>, place: string): unknown => {
    // An import keeps used proofs as long as the poll.
    if (table === 'proofs') return true;
    if (table === 'records') return { ...value, expiresAtMs: value['expiresAtMs'] !== null };
    if (table === 'polls') return value['poll'];
    if (table !== 'tallies') return value;
    // A replaced key comes with the definition, and an ended round expires with its poll.
    const { hasDigests: _, adminKeyHash = tables.polls.get(place)?.adminKeyHash, ...tally } = value;
    return { ...tally, adminKeyHash, ...(place.includes('~') && { emptyRetentionMs: undefined }) };
  };
  for (const [table, database] of Object.entries(tables))
    for (const { key, value } of database.getRange({}) as Iterable<{ key: unknown; value: unknown }>) {
      const [place = '', mark = ''] = [key].flat() as string[];
      const isMark = ['voters', 'addresses', 'proofs'].includes(table);
      // A present round has its number in the place of its entries.
      const isDigest = hasDigests.has(place) || hasDigests.has(`${place}`.split('~')[0]!);
      const name = isMark ? `${place} ${isDigest ? mark : digestOf(mark)}` : [key].flat().join(' ');
      found.set(`${table} ${name}`, comparable(table, value as Record<string, unknown>, String(place)));
    }
  await root.close();
  return found;
}

/** What differs after the move, by its name without ids. */
function differences(before: Dump, after: Dump): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    name => JSON.stringify(plain(before.get(name))) !== JSON.stringify(plain(after.get(name))),
  );
  return [
    ...new Set(names.map(name => name.replace(/^tallycast:/, '').replaceAll(/\b[0-9A-Za-z]{12}\b/g, '<id>'))),
  ];
}

const isLater = (value: object) => 'round' in value && value.round !== undefined;

/**
 * Undefined, null, false and absent members are the same, in any order; so are definitions with and
 * without what only their engine knows.
 */
function plain(value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith('{"id"')) return plain(JSON.parse(value));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, member]) =>
      member !== undefined &&
      member !== null &&
      member !== false &&
      !(isLater(value) && name === 'emptyRetentionMs'),
  );
  return Object.fromEntries(
    kept
      .map(([name, member]) => [name, plain(member)] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** The log of events, temporary records, and what an import writes anew; every other difference is a loss. */
const ANEW_IN_REDIS = [/^\{events\}:(log|states|due|polls)/, /^\{.*\}:deleted$/, / (hinted|log:.*)$/];
const ANEW_IN_LMDB = [
  /^(events|eventStates|due|dueTimes|listedPolls|deletions|deletionTimes) /,
  // An import begins a new epoch of a log.
  /^logs /,
];

async function expectMoved(
  source: Engine,
  target: Engine,
  { id, code, begun }: Awaited<ReturnType<typeof fill>>,
) {
  expect(await move(source, target, true)).toMatchObject({
    polls: 4,
    skipped: { operatorKeys: 0, webhooks: 0, keptReplies: 0, passing: 0 },
    webhooksFull: [],
  });
  expect(await findJoined(target, code)).toEqual({ poll: id });
  for (const one of [id, idOfRound(id, 1), begun]) {
    const [there, here] = [await readPoll(source, one), await readPoll(target, one)];
    const { emptyRetentionMs: _, ...poll } = there.poll;
    expect({ ...here, results: { ...here.results, readAtMs: 0 }, hintedAtMs: 0 }).toEqual({
      ...there,
      // A later round of a poll with votes.
      ...(poll.round && { poll }),
      results: { ...there.results, readAtMs: 0 },
      hintedAtMs: 0,
    });
  }
}

describe('an import with keys leaves out only what the document names', () => {
  const isLeftOut = (name: string) => kindOfRecord(name) === undefined;
  // Those of the target number its own events, and only that a webhook is disabled comes with it.
  const isOfWebhooks = (name: string) => /^webhooks?(:|$)/.test(name);

  it('from Redis', async () => {
    const [from, to] = [await rig.start(), await rig.start()];
    const [source, target] = [
      await openEngine({ redisUrl: from.url }),
      await openEngine({ redisUrl: to.url }),
    ];
    for (const engine of [source, target]) rig.closeAfter(() => engine.close());
    const filled = await fill(source);
    await expectMoved(source, target, filled);
    const dumps = await Promise.all([from, to].map(server => dumpRedis(rig.clientOf(server))));
    const lost = differences(dumps[0]!, dumps[1]!).filter(name => {
      const record = name.startsWith('record:') ? name.slice('record:'.length) : undefined;
      return record === undefined
        ? !ANEW_IN_REDIS.some(one => one.test(name))
        : !isLeftOut(record) && !isOfWebhooks(record);
    });
    expect(lost).toEqual([]);
  });

  it('from an embedded engine', async () => {
    folder ??= await mkdtemp(join(tmpdir(), 'tallycast-kinds-'));
    const places = [join(folder, 'from'), join(folder, 'to')];
    const [source, target] = await Promise.all(places.map(dataDir => openEngine({ dataDir })));
    const filled = await fill(source!);
    await expectMoved(source!, target!, filled);
    for (const engine of [source!, target!]) await engine.close();
    const [before, after] = await Promise.all(places.map(dumpTables));
    const lost = differences(before!, after!).filter(name => {
      const record = name.startsWith('records ') ? name.slice('records '.length) : undefined;
      return record === undefined
        ? !ANEW_IN_LMDB.some(one => one.test(name))
        : !isLeftOut(record) && !isOfWebhooks(record);
    });
    expect(lost).toEqual([]);
  });

  it('in its words', async () => {
    const document = (await readFile('src/start/README.md', 'utf8')).replaceAll(/\s+/g, ' ');
    const list = /Not in an export,.*?\. -/.exec(document)?.[0] ?? '';
    expect(LEFT_OUT.filter(words => !list.includes(words))).toEqual([]);
  });
});
