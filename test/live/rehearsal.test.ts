import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { watchPoll } from '../../src/client/watch-poll.ts';
import type { ResultsMessage } from '../../src/protocol/messages.ts';
import { completed } from '../support/completed.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { LiveClient } from '../support/live-client.ts';
import { pointShow } from '../support/point-show.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

/** The simulated poll at relays as they ship, at the moments of its round that a test asks for. */

const ROUND_MS = 120_000;
const CLOSES_MS = 100_000;
const realNow = Date.now.bind(Date);

let relay: TestRelay;
let other: TestRelay;
let double: EngineDouble;
const open: { close(): void }[] = [];

beforeAll(async () => {
  relay = await startTestRelay();
  double = new EngineDouble(relay.engine);
  other = await startTestRelay({ engine: double.engine });
});
afterAll(async () => {
  await other.close();
  await relay.close();
});
beforeEach(() => {
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs);
});
afterEach(() => {
  for (const client of open.splice(0)) client.close();
});

let aheadMs = 0;

/** Lets the round be at this moment now, and run on from here; never earlier than before. */
function goTo(sinceStartMs: number): void {
  const nowMs = realNow() + aheadMs;
  const moment = Math.floor(nowMs / ROUND_MS) * ROUND_MS + sinceStartMs;
  aheadMs += moment - nowMs + (moment < nowMs ? ROUND_MS : 0);
}

async function watch(at: TestRelay, query = ''): Promise<LiveClient> {
  const live = await LiveClient.open(`${at.wsUrl}/api/poll/rehearsal/live${query}`);
  open.push(live);
  return live;
}

const resultsOf = (live: LiveClient) =>
  completed(live.messages).filter((message): message is ResultsMessage => message.type === 'results');

describe('the simulated poll', () => {
  it('behaves like a real poll on every stream: compact, conflated, and the same at every relay', async () => {
    goTo(6_000);
    const [here, there] = [await watch(relay, '?compact=1'), await watch(other)];
    await until(() => resultsOf(here).length > 8 && resultsOf(there).length > 8, 'some changes');
    expect(new Set(here.messages.slice(1).map(({ type }) => type))).toEqual(new Set(['counts']));
    const byVersion = new Map(resultsOf(there).map(({ version, poll_answers }) => [version, poll_answers]));
    const shared = resultsOf(here).filter(({ version }) => byVersion.has(version));
    for (const { version, poll_answers } of shared) expect(poll_answers).toEqual(byVersion.get(version));
    expect(shared.length).toBeGreaterThan(0);
    const seconds = ((here.times.at(-1) as number) - (here.times[0] as number)) / 1_000;
    expect(here.messages.length).toBeLessThanOrEqual(seconds * 10 + 2);
  });

  it('opens, closes with one final, and starts over with reset', async () => {
    goTo(4_500);
    const live = await watch(relay, '?compact=1&hz=20');
    await live.message(message => message.type === 'results' && message.status === 'open', 'the opening');
    goTo(CLOSES_MS - 500);
    await live.message(message => message.type === 'results' && message.final === true, 'the end');
    goTo(ROUND_MS - 500);
    await live.message(message => message.type === 'results' && message.reset === true, 'the next round');
    const { version, total_votes, status } = live.of('results').at(-1) as ResultsMessage;
    expect([status, total_votes, version]).toEqual(['upcoming', 0, 1]);
    const versions = resultsOf(live).map(message => message.version);
    expect(versions).toEqual([...versions.slice(0, -1).sort((one, other) => one - other), 1]);
  });

  it('has every format, and supports max_age', async () => {
    goTo(60_000);
    const get = (query: string) => fetch(`${relay.url}/api/poll/rehearsal${query}`);
    for (const format of ['rows', 'csv', 'xml', 'text'])
      expect(await (await get(`?format=${format}`)).text()).toContain('Rehearsal: Which song');
    expect((await get('?max_age=5')).headers.get('cache-control')).toContain('public, max-age=5');
    goTo(CLOSES_MS + 5_000);
    const headers = { 'if-none-match': (await get('')).headers.get('etag') ?? '' };
    expect((await fetch(`${relay.url}/api/poll/rehearsal`, { headers })).status).toBe(304);
  });

  it('works while the engine is unavailable, without using it', async () => {
    goTo(30_000);
    const reads = double.reads;
    double.lose();
    const live = await watch(other);
    await until(() => resultsOf(live).length > 3, 'some changes');
    expect(live.of('stale')).toEqual([]);
    expect([double.reads, double.followed.includes('rehearsal')]).toEqual([reads, false]);
    double.giveBack();
  });

  it('can be on air in a show, and works with the client', async () => {
    goTo(30_000);
    await pointShow(relay.engine, 'rehearsing', 'rehearsal');
    const live = await LiveClient.open(`${relay.wsUrl}/api/live`);
    open.push(live);
    live.send({ type: 'follow', show: 'rehearsing' });
    await live.message(message => message.type === 'show' && message.id === 'rehearsal', 'the show');
    const seen: ResultsMessage[] = [];
    const options = { WebSocket, onResults: (results: ResultsMessage) => seen.push(results) };
    open.push(watchPoll(`${relay.url}/api/poll/rehearsal`, options));
    await until(() => seen.length > 2, 'results');
    expect(seen.every(({ rehearsal }) => rehearsal === true)).toBe(true);
  });
});
