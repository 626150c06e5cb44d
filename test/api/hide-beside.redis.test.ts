// @module-tag redis-server
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../support/api-request.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

/** Tries of each pair; `PAIR_TRIES=10000` runs as many. */
const TRIES = Number(process.env['PAIR_TRIES'] ?? 12);
const SEED = Number(process.env['PAIR_SEED'] ?? Date.now() % 1_000_000);
const MOST_MS = 5;
const KEY = 'operator-key-of-the-tests';
const HEADERS = { 'x-api-key': KEY, 'content-type': 'application/json' };
const OPTIONS = { operatorKeys: [KEY], changesPerMinute: 10_000_000, createsPerMinute: 10_000_000 };

/** Each beside `{"results_visibility": "hidden"}`. None of them shows results. */
const CHANGES: Readonly<Record<string, readonly [method: string, path: string, body: object]>> = {
  again: ['POST', '/again', {}],
  'a correction': ['PATCH', '', { poll: { title: 'Which song then?' } }],
  'a close': ['PATCH', '', { poll: { status: 'closed' } }],
  'a deadline': ['PATCH', '', { poll: { closes_in: 600 } }],
};
const PAIRS = Object.keys(CHANGES).filter(name => (process.env['PAIR_ONLY'] ?? name) === name);

function hidingClaims(relays: () => readonly [TestRelay, TestRelay]): void {
  it.each(PAIRS)(
    'hiding beside %s, both acknowledged, leaves nothing to read',
    { timeout: 600_000 },
    async name => {
      const [relay, other] = relays();
      let state = SEED;
      const random = () => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        return state / 2_147_483_648;
      };
      const [method, path, body] = CHANGES[name]!;
      const send = async (url: string, asked: string, members: object, waitMs: number) => {
        await pause(waitMs);
        return (await ask(url, { method: asked, headers: HEADERS, body: JSON.stringify(members) })).status;
      };
      const attempt = async () => {
        const { id } = await relay.create({ priv: true, mip: true });
        await relay.cast(id, 0, 1);
        const waits = [random() * MOST_MS, random() * MOST_MS] as const;
        const hide = { poll: { results_visibility: 'hidden' } };
        const statuses = await Promise.all([
          send(`${relay.url}/api/poll/${id}`, 'PATCH', hide, waits[0]),
          send(`${other.url}/api/poll/${id}${path}`, method, body, waits[1]),
        ]);
        const reads = [relay, other].flatMap(({ url }) =>
          ['', '?round=1'].map(async query => (await ask(`${url}/api/poll/${id}${query}`)).json.total_votes),
        );
        expect([statuses, await Promise.all(reads)], `PAIR_SEED=${SEED}`).toEqual([
          [200, 200],
          [undefined, undefined, undefined, undefined],
        ]);
      };
      for (let done = 0; done < TRIES; done += 4)
        await Promise.all(Array.from({ length: Math.min(4, TRIES - done) }, attempt));
    },
  );
}

describe('on the embedded engine', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay(OPTIONS);
  });
  afterAll(() => relay.close());
  hidingClaims(() => [relay, relay]);
});

describe('on Redis, at two relays', () => {
  const { start, relayOn } = redisRig('file');
  let relays: [TestRelay, TestRelay];
  beforeAll(async () => {
    const { url } = await start();
    relays = [await relayOn(url, OPTIONS), await relayOn(url, OPTIONS)];
  });
  hidingClaims(() => relays);
});
