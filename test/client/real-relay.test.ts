import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { systemClock } from '../../src/client/clock.ts';
import type { ConnectOptions } from '../../src/client/connect-options.ts';
import { RelayLink } from '../../src/client/relay-link.ts';
import { type WatchPollOptions, watchPoll } from '../../src/client/watch-poll.ts';
import type { Watch } from '../../src/client/watch-state.ts';
import { buildRelay } from '../../src/relay.ts';
import { readConfig } from '../../src/start/config.ts';
import { relaySettings } from '../../src/start/options.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { pointShow } from '../support/point-show.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { Recorder } from './recorder.ts';

/** The client and the relay as they ship, with a link between them that fails on command. */

let relay: TestRelay;
let link: TcpProxy;
let url: string;
let seen: Recorder;
const open: { close(): void }[] = [];

beforeEach(async () => {
  relay = await startTestRelay();
  link = await startTcpProxy(Number(new URL(relay.url).port));
  url = `http://127.0.0.1:${link.port}`;
  seen = new Recorder();
});

afterEach(async () => {
  for (const watch of open.splice(0)) watch.close();
  await link.close();
  await relay.close();
});

/** A WebSocket that never gets through: nothing listens where it goes. */
class NoSocket extends WebSocket {
  constructor() {
    super('ws://127.0.0.1:9/');
  }
}

/** Every way to the results, and how a client comes to take it. */
const ways: [via: string, options: ConnectOptions][] = [
  ['websocket', { WebSocket }],
  ['sse', { WebSocket: NoSocket }],
  [
    'read',
    {
      WebSocket: NoSocket,
      fetch: (to, init) => fetch(String(to).replace('/live', '/not-live'), init),
      // Ten times as fast: nobody here wants to wait for the next read.
      clock: { ...systemClock, after: (ms, callback) => systemClock.after(ms / 10, callback) },
    },
  ],
];

function watch(id: string, options: Partial<WatchPollOptions>): Watch {
  const watching = watchPoll(`${url}/api/poll/${id}`, { ...seen, ...options });
  open.push(watching);
  return watching;
}

describe.each(ways)('over %s', (via, options) => {
  it('ends on the stored results whatever happened on the way', async () => {
    const { id } = await relay.create();
    await relay.cast(id, 0, 3);
    watch(id, options);
    await seen.until(({ results }) => results.at(-1)?.total_votes === 3);
    expect(seen.last).toEqual({ state: 'live', via });
    link.cut();
    // Between two reads there is nothing to lose.
    if (via !== 'read') await seen.state('stale');
    await relay.cast(id, 1, 4);
    await seen.until(({ results }) => results.at(-1)?.total_votes === 7);
    expect(seen.results.at(-1)?.poll_answers.map(({ votes }) => votes)).toEqual([3, 4]);
    expect(seen.versions).toEqual([...seen.versions].sort((a, b) => a - b));
  });

  it.each(['admin_key', 'view_key'] as const)('opens hidden results with the %s', async kind => {
    const poll = await relay.create({ results_visibility: 'hidden' });
    watch(poll.id, { ...options, key: poll[kind] });
    await seen.state('live');
    expect(seen.results[0]?.total_votes).toBe(0);
  });

  it('is hidden without a key, and shows the results when they are revealed', async () => {
    const { id } = await relay.create({ results_visibility: 'hidden' });
    await relay.cast(id, 0, 2);
    watch(id, options);
    await seen.state('hidden');
    expect(seen.results).toEqual([]);
    await relay.engine.polls.change(id, { resultsVisibility: 'always' });
    await seen.state('live');
    expect(seen.results.map(results => results.total_votes)).toEqual([2]);
  });

  it('is refused with a wrong key, and for a poll that never was', async () => {
    const { id } = await relay.create({ results_visibility: 'hidden' });
    watch(id, { ...options, key: 'view_wrong' });
    await seen.state('refused');
    expect(seen.last).toMatchObject({ code: 4403, error: 'api_key_rejected' });
    const other = new Recorder();
    watch('nopenopenope', { ...options, ...other });
    await other.state('refused');
    expect(other.last).toMatchObject({ code: 4404, error: 'poll_not_found' });
  });

  it('is told that the poll is deleted', async () => {
    const { id } = await relay.create();
    watch(id, options);
    await seen.state('live');
    await relay.engine.polls.remove(id);
    await seen.state('refused');
    expect(seen.last).toMatchObject({ code: 4410, error: 'poll_not_found' });
  });

  it('is final when the poll is closed, and live when it is opened again', async () => {
    const { id } = await relay.create();
    watch(id, options);
    await seen.state('live');
    await relay.engine.polls.change(id, { closed: true });
    await seen.state('final');
    await relay.engine.polls.change(id, { closed: false });
    await seen.state('live');
    expect(seen.results.map(({ final = false }) => final)).toEqual([false, true, false]);
  });
});

it('notices a link that has died without a word, by the missing heartbeats', async () => {
  const { id } = await relay.create();
  watch(id, { WebSocket, heartbeat: 1 });
  await seen.state('live');
  link.setMode('blackhole');
  await seen.state('stale');
  link.cut();
  link.setMode('pass');
  await seen.state('live');
});

it('is sent only what is newer than what the caller holds', async () => {
  const { id } = await relay.create();
  await relay.cast(id, 0);
  const { version, position } = await relay.read(id);
  watch(id, { WebSocket, since: position });
  await seen.state('live');
  expect(seen.results).toEqual([]);
  await relay.cast(id, 0);
  await seen.version(version + 1);
});

it('is told at most as often as it asks', async () => {
  const { id } = await relay.create();
  watch(id, { WebSocket, hz: 1 });
  await seen.state('live');
  const startedMs = performance.now();
  await relay.cast(id, 0, 200);
  await seen.until(({ results }) => results.at(-1)?.total_votes === 200);
  // Each cast takes a while on a busy machine: so many seconds, so many results.
  expect(seen.results.length).toBeLessThan(10 + (performance.now() - startedMs) / 1_000);
});

it('follows a show by reading where no socket gets through', async () => {
  const options = ways.find(([via]) => via === 'read')![1];
  const [one, two] = [await relay.create(), await relay.create()];
  const relayLink = new RelayLink(url, options);
  open.push(relayLink);
  relayLink.follow('evening', seen);
  await seen.until(({ shows }) => shows.length === 1);
  await pointShow(relay.engine, 'evening', one.id);
  await seen.until(({ results }) => results.at(-1)?.id === one.id);
  await relay.cast(two.id, 0);
  await pointShow(relay.engine, 'evening', two.id);
  await seen.until(({ results }) => results.at(-1)?.id === two.id);
  expect(seen.shows).toEqual([null, one.id, two.id]);
  expect(seen.last).toEqual({ state: 'live', via: 'read' });
  expect(seen.results.at(-1)?.total_votes).toBe(1);
});

it('carries many polls on one socket, and follows a show from one to the next', async () => {
  const [one, two] = [await relay.create({ title: 'One' }), await relay.create({ title: 'Two' })];
  await pointShow(relay.engine, 'evening', one.id);
  const relayLink = new RelayLink(url, { WebSocket });
  open.push(relayLink);
  const direct = new Recorder();
  relayLink.watch(two.id, direct);
  relayLink.follow('evening', seen);
  await Promise.all([direct.state('live'), seen.state('live')]);
  expect(link.links).toBe(1);
  await pointShow(relay.engine, 'evening', two.id);
  await seen.until(({ results }) => results.at(-1)?.title === 'Two');
  link.cut();
  await seen.state('stale');
  await relay.cast(two.id, 0, 2);
  await pointShow(relay.engine, 'evening', null);
  await seen.until(({ shows }) => shows.length === 3);
  await direct.until(({ results }) => results.at(-1)?.total_votes === 2);
  expect(seen.shows).toEqual([one.id, two.id, null]);
});

it('keeps the results while the relay has lost its engine, and heals', async () => {
  const faulty = new EngineDouble(relay.engine);
  const shaky = await startTestRelay({ engine: faulty.engine });
  open.push({ close: () => void shaky.close() });
  const { id } = await relay.create();
  open.push(watchPoll(`${shaky.url}/api/poll/${id}`, { WebSocket, ...seen }));
  await seen.state('live');
  faulty.lose();
  await seen.state('stale');
  expect(seen.last).toEqual({ state: 'stale', reason: 'engine' });
  await relay.cast(id, 0);
  faulty.giveBack();
  await seen.state('live');
  await seen.until(({ results }) => results.at(-1)?.total_votes === 1);
});

it('comes back by itself when the relay is restarted', async () => {
  const { id } = await relay.create();
  const first = await startTestRelay({ engine: relay.engine });
  open.push(watchPoll(`${first.url}/api/poll/${id}`, { WebSocket, ...seen }));
  await seen.state('live');
  await first.close();
  await seen.state('stale');
  await relay.cast(id, 0, 2);
  const second = await buildRelay({
    ...relaySettings(readConfig({})),
    engine: relay.engine,
    logger: pino({ level: 'silent' }),
    relayUrl: first.url,
    voteUrl: first.url,
  });
  await second.listen({ host: '127.0.0.1', port: Number(new URL(first.url).port) });
  open.push({ close: () => void second.close() });
  await seen.state('live');
  expect(seen.results.at(-1)?.total_votes).toBe(2);
});
