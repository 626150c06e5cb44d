// @module-tag redis-server
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import type { RelayOptions } from '../../src/start/relay.ts';
import { ask, expectError, post } from '../support/api-request.ts';
import { embeddedStore, type MeasuredStore, redisStore } from '../support/measured-store.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const NOON_MS = 1_800_014_400_000;
const rig = redisRig();

const SMALL = { title: 'Which song next?', answers: ['Waterloo', 'Volare'] };
/** As much as a body holds. */
const LARGE = {
  title: '題'.repeat(300),
  description: '文'.repeat(5_000),
  answers: Array.from({ length: 100 }, (_, index) => `${'答'.repeat(190)}${index}`),
};

async function openRelay(
  { redisUrl, dataDir }: MeasuredStore,
  options: Partial<RelayOptions> = {},
): Promise<TestRelay> {
  const engine = await openEngine({ redisUrl, ...(dataDir !== undefined && { dataDir }) });
  const relay = await startTestRelay({
    engine,
    operatorKeys: [OPERATOR_KEY],
    trustProxy: ['127.0.0.1'],
    clock: () => NOON_MS,
    ...options,
  });
  onTestFinished(async () => {
    await relay.close();
    await engine.close();
  });
  return relay;
}

const FROM = { 'x-forwarded-for': '192.0.2.1' };
let keys = 0;
const fresh = () => {
  keys += 1;
  return keys;
};
const once = () => ({ 'idempotency-key': `a-key-of-the-tests-${fresh()}` });
const takeName = (relay: TestRelay, headers: Record<string, string> = {}) =>
  ask(`${relay.url}/api/show`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ show: { name: `show-${fresh()}`, title: '題'.repeat(300) } }),
  });

describe.each([
  ['the embedded engine', embeddedStore],
  ['Redis', () => redisStore(rig)],
])('what one address has stored by creating, on %s', (_, openStore) => {
  it.each<[string, number, (relay: TestRelay) => Promise<{ status: number }>]>([
    ['small polls', 300_000, relay => post(relay.url, { poll: SMALL }, FROM)],
    [
      'small polls with an Idempotency-Key',
      300_000,
      relay => post(relay.url, { poll: SMALL }, { ...FROM, ...once() }),
    ],
    ['large polls', 1_500_000, relay => post(relay.url, { poll: LARGE }, FROM)],
    [
      'large polls with an Idempotency-Key',
      1_500_000,
      relay => post(relay.url, { poll: LARGE }, { ...FROM, ...once() }),
    ],
    ['shows', 300_000, relay => takeName(relay, { ...FROM, ...once() })],
  ])('is no more than its budget: %s', async (_, budget, create) => {
    const store = await openStore();
    const relay = await openRelay(store, { createBytesPerDay: budget });
    const before = await store.bytes();
    let created = 0;
    while ((await create(relay)).status === 201) created += 1;
    const stored = (await store.bytes()) - before;
    expect(stored).toBeLessThanOrEqual(budget);
    expect(created).toBeGreaterThan(10);
  });
});

describe('the budget of an address', () => {
  it('pays for the rounds of a poll, by the button of its show, too', async () => {
    const relay = await openRelay(await embeddedStore(), { createBytesPerDay: 1_000_000 });
    const show = await takeShow(relay);
    const { id } = (await show.addPoll(LARGE)).json;
    await show.patch({ on_air: id });
    let begun = 0;
    let reply = await show.press('again');
    for (; reply.status === 200 && begun < 20; begun += 1) reply = await show.press('again');
    expectError(reply, 429, 'rate_limited');
    expect([begun, (await relay.engine.polls.find(id))!.poll.round]).toEqual([begun, begun + 1]);
  });

  it('is none where it is 0', async () => {
    const relay = await openRelay(await embeddedStore(), { createBytesPerDay: 0 });
    for (let at = 0; at < 3; at += 1) expect((await post(relay.url, { poll: LARGE })).status).toBe(201);
  });

  it('is one for polls and shows at all relays, and none for an operator’s key or another address', async () => {
    const store = await redisStore(rig);
    const [one, other] = [
      await openRelay(store, { createBytesPerDay: 30_000 }),
      await openRelay(store, { createBytesPerDay: 30_000 }),
    ];
    let tries = 0;
    let refused = await post(one.url, { poll: SMALL }, FROM);
    for (; refused.status === 201 && tries < 20; tries += 1)
      refused = await post(tries % 2 ? one.url : other.url, { poll: SMALL }, FROM);
    expect(tries).toBeLessThan(8);
    expectError(refused, 429, 'rate_limited');
    expect(refused.headers.get('retry-after')).toBe('43200');
    for (const relay of [one, other]) {
      expect((await takeName(relay, FROM)).status).toBe(429);
      expect((await post(relay.url, { poll: SMALL }, { 'x-forwarded-for': '192.0.2.2' })).status).toBe(201);
      const operator = { ...FROM, 'x-api-key': OPERATOR_KEY };
      for (let more = 0; more < 4; more += 1)
        expect((await post(relay.url, { poll: LARGE }, operator)).status).toBe(201);
    }
    for await (const { text, name } of one.engine.archive.readRecords(() => true))
      expect(name + text).not.toContain('192.0.2');
  });

  it('gives a kept reply again when it is used up, and leaves the key of a refused request free', async () => {
    const store = await embeddedStore();
    const relay = await openRelay(store, { createBytesPerDay: 12_000 });
    const headers = { ...FROM, ...once() };
    const first = await post(relay.url, { poll: SMALL }, headers);
    expect(first.status).toBe(201);
    const late = { ...FROM, ...once() };
    expect((await post(relay.url, { poll: LARGE }, late)).status).toBe(429);
    expect((await post(relay.url, { poll: LARGE }, headers)).status).toBe(409);
    expect((await post(relay.url, { poll: SMALL }, headers)).json).toEqual(first.json);
    expect((await post(relay.url, { poll: { ...SMALL, answers: ['A'] } }, late)).status).toBe(400);
  });
});
