import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type ConnectOptions, systemClock } from '../../src/client/connect-options.ts';
import { RelayLink } from '../../src/client/relay-link.ts';
import { type WatchPollOptions, watchPoll } from '../../src/client/watch-poll.ts';
import type { Watch } from '../../src/client/watch-state.ts';
import type { ErrorMessage, ShowMessage } from '../../src/protocol/messages.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { LiveClient } from '../support/live-client.ts';
import { pointShow } from '../support/point-show.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';
import { Recorder } from './recorder.ts';

/** The client against the real relay, over a TCP proxy that fails on command. */

let relay: TestRelay;
let link: TcpProxy;
let url: string;
let seen: Recorder;
const open: { close(): void }[] = [];

beforeAll(async () => {
  relay = await startTestRelay();
});
afterAll(() => relay.close());

beforeEach(async () => {
  link = await startTcpProxy(Number(new URL(relay.url).port));
  url = `http://127.0.0.1:${link.port}`;
  seen = new Recorder();
});

afterEach(async () => {
  for (const watch of open.splice(0)) watch.close();
  await link.close();
});

/** A WebSocket that never connects: nothing listens there. */
class NoSocket extends WebSocket {
  constructor() {
    super('ws://127.0.0.1:9/');
  }
}

/** Every transport, and options that make the client use it. */
const transports: [via: string, options: ConnectOptions][] = [
  ['websocket', { WebSocket }],
  ['sse', { WebSocket: NoSocket }],
  [
    'read',
    {
      WebSocket: NoSocket,
      fetch: (to, init) => fetch(String(to).replace('/live', '/not-live'), init),
      // Polls ten times as often.
      clock: { ...systemClock, after: (ms, callback) => systemClock.after(ms / 10, callback) },
    },
  ],
];

function watch(id: string, options: Partial<WatchPollOptions>): Watch {
  const watching = watchPoll(`${url}/api/poll/${id}`, { ...seen, ...options });
  open.push(watching);
  return watching;
}

describe.each(transports)('over %s', (via, options) => {
  it('shows the stored results after a lost connection', async () => {
    const { id } = await relay.create();
    await relay.cast(id, 0, 3);
    watch(id, options);
    await seen.until(({ results }) => results.at(-1)?.total_votes === 3);
    expect(seen.last).toEqual({ state: 'live', via });
    link.cut();
    // There is no connection between two reads.
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

  it('is hidden without a key, and shows the results once they are revealed', async () => {
    const { id } = await relay.create({ results_visibility: 'hidden' });
    await relay.cast(id, 0, 2);
    watch(id, options);
    await seen.state('hidden');
    expect(seen.results).toEqual([]);
    await relay.engine.polls.change(id, { resultsVisibility: 'always' });
    await seen.state('live');
    expect(seen.results.map(results => results.total_votes)).toEqual([2]);
  });

  it('is rejected for a wrong key, and for an unknown poll', async () => {
    const { id } = await relay.create({ results_visibility: 'hidden' });
    watch(id, { ...options, key: 'view_wrong' });
    await seen.state('refused');
    expect(seen.last).toMatchObject({ code: 4403, error: 'api_key_rejected' });
    const other = new Recorder();
    watch('nopenopenope', { ...options, ...other });
    await other.state('refused');
    expect(other.last).toMatchObject({ code: 4404, error: 'poll_not_found' });
  });

  it('reports that the poll was deleted', async () => {
    const { id } = await relay.create();
    watch(id, options);
    await seen.state('live');
    await relay.engine.polls.remove(id);
    await seen.state('refused');
    expect(seen.last).toMatchObject({ code: 4410, error: 'poll_not_found' });
  });

  it('is final once the poll is closed, and live once it is reopened', async () => {
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

describe('an address without room for another connection', () => {
  it.each([
    ['a poll', (to: string, id: string) => watchPoll(`${to}/api/poll/${id}`, { WebSocket, ...seen })],
    ['many polls', (to: string, id: string) => new RelayLink(to, { WebSocket }).watch(id, seen)],
  ])('shows current results of %s by reading', async (_, watchAt) => {
    const small = await startTestRelay({ maxConnectionsPerAddress: 1 });
    const { id } = await small.create();
    const neighbor = await LiveClient.open(`${small.wsUrl}/api/poll/${id}/live`);
    await neighbor.results(0);
    const watching = watchAt(small.url, id);
    await seen.state('live');
    expect(seen.states).toEqual([{ state: 'live', via: 'read' }]);
    await small.cast(id, 0, 2);
    await seen.until(({ results }) => results.at(-1)?.total_votes === 2);
    expect(neighbor.closed).toBeUndefined();
    watching.close();
    neighbor.socket.terminate();
    await small.close();
  });
});

it('uses one socket for many polls, and follows a show from one to the next', async () => {
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

it('keeps the results while the relay has lost its engine, and recovers', async () => {
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

describe('following a show', () => {
  /** Every message to the relay. */
  let sent: { type: string; id?: string }[];

  class RecordedSocket extends WebSocket {
    override send(text: string): void {
      sent.push(JSON.parse(text));
      super.send(text);
    }
  }

  function linkWith(options: ConnectOptions): RelayLink {
    sent = [];
    const relayLink = new RelayLink(url, options);
    open.push(relayLink);
    return relayLink;
  }

  it('sends no subscription, because each switch brings the first message of the poll', async () => {
    const show = await takeShow(relay);
    const ids = await show.fill(2);
    linkWith({ WebSocket: RecordedSocket }).follow(show.name, seen);
    for (const id of ids) {
      await show.press('next');
      await seen.until(({ results }) => results.at(-1)?.id === id);
    }
    await relay.cast(ids[1]!);
    await seen.until(({ results }) => results.at(-1)?.total_votes === 1);
    expect(sent).toEqual([{ type: 'follow', show: show.name }]);
  });

  it('keeps a poll that is also watched when the show moves on', async () => {
    const show = await takeShow(relay);
    const relayLink = linkWith({ WebSocket: RecordedSocket });
    const [id] = await show.fill(2);
    const own = new Recorder();
    relayLink.follow(show.name, seen);
    await show.press('next');
    await seen.until(({ results }) => results.length === 1);
    relayLink.watch(id!, own);
    await until(() => sent.length === 2, 'the subscription');
    await show.press('next');
    await seen.until(({ results }) => results.at(-1)?.id !== id);
    await relay.cast(id!);
    await own.until(({ results }) => results.at(-1)?.total_votes === 1);
  });

  it.each([transports[0]!, transports[2]!])(
    'delivers the whole show with its key, and reports a revoked key, over %s',
    async (_, options) => {
      const show = await takeShow(relay);
      const [shows, rejections]: [ShowMessage[], ErrorMessage[]] = [[], []];
      linkWith(options).follow(show.name, {
        showKey: show.key,
        onResults: () => {},
        onChange: message => shows.push(message),
        onRefused: error => rejections.push(error),
      });
      const [id] = await show.fill(1);
      await until(() => shows.at(-1)?.rundown?.length === 1, 'the rundown');
      await show.press('next');
      await until(() => shows.at(-1)?.id === id, 'the switch');
      expect(shows.at(-1)).toMatchObject({ type: 'show', own: [id], place: id, version: 3 });
      show.key = (await show.press('show_key')).json.show_key;
      await until(() => rejections.length > 0, 'the rejection');
      expect(rejections[0]).toMatchObject({ type: 'error', code: 'api_key_rejected', show: show.name });
    },
  );
});
