import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { RelayLink } from '../../src/client/relay-link.ts';
import type { ClientMessage, ServerMessage } from '../../src/protocol/messages.ts';
import { ManualClock } from './manual-clock.ts';
import { Recorder } from './recorder.ts';
import { positionOf, resultsMessage } from './results-message.ts';
import { ScriptedRelay, sendJson } from './scripted-relay.ts';

let relay: ScriptedRelay;
let clock: ManualClock;
let link: RelayLink;
/** What the relay answers to a message, if anything. */
let answer: (message: ClientMessage) => ServerMessage | undefined;

beforeEach(async () => {
  relay = await ScriptedRelay.open();
  clock = new ManualClock();
  link = new RelayLink(relay.url, { WebSocket, clock, hz: 5 });
  answer = message =>
    message.type === 'subscribe'
      ? results(message.id, Number.parseInt(`${message.since ?? 1}`, 10))
      : undefined;
  relay.onSocket = socket => {
    socket.on('message', data => {
      const reply = answer(JSON.parse(String(data)));
      if (reply) socket.send(JSON.stringify(reply));
    });
  };
});

afterEach(async () => {
  link.close();
  await relay.close();
});

const results = (id: string, version: number): ServerMessage => resultsMessage(version, { id });
const say = (message: ServerMessage): void => {
  for (const socket of relay.sockets) socket.send(JSON.stringify(message));
};
const heard = (): unknown[] => relay.heard.map(text => JSON.parse(text));

it('carries many polls on one socket, and tells each watcher of its own', async () => {
  const [a, b] = [new Recorder(), new Recorder()];
  link.watch('a', a);
  link.watch('b', { ...b, key: 'view_b' });
  await Promise.all([a.version(1), b.version(1)]);
  say(results('b', 2));
  await b.version(2);
  expect(a.versions).toEqual([1]);
  expect(relay.requests).toEqual(['GET /api/live?heartbeat=3&compact=1&hz=5']);
  expect(heard()).toEqual([
    { type: 'subscribe', id: 'a' },
    { type: 'subscribe', id: 'b', key: 'view_b' },
  ]);
});

it('subscribes once for many watchers of a poll, and tells the later ones at once', async () => {
  const [first, second] = [new Recorder(), new Recorder()];
  link.watch('a', first);
  await first.version(1);
  const watch = link.watch('a', second);
  await second.version(1);
  expect(second.states).toEqual([{ state: 'live', via: 'websocket' }]);
  watch.close();
  say(results('a', 2));
  await first.version(2);
  expect(second.versions).toEqual([1]);
  expect(heard()).toEqual([{ type: 'subscribe', id: 'a' }]);
});

it('says what it holds of each poll when it comes back', async () => {
  const [a, b] = [new Recorder(), new Recorder()];
  link.watch('a', a);
  link.watch('b', b);
  await Promise.all([a.version(1), b.version(1)]);
  say(results('a', 7));
  await a.version(7);
  relay.heard.length = 0;
  for (const socket of relay.sockets) socket.terminate();
  await Promise.all([a.state('stale'), b.state('stale')]);
  clock.advance(500);
  await Promise.all([a.state('live'), b.state('live')]);
  expect(heard()).toEqual([
    { type: 'subscribe', id: 'a', since: positionOf(7) },
    { type: 'subscribe', id: 'b', since: positionOf(1) },
  ]);
});

it('closes the socket with the last watcher, and opens another for the next', async () => {
  const closed = new Recorder();
  const before = relay.onSocket!;
  relay.onSocket = (socket, request) => {
    socket.on('close', () => closed.onShow(null));
    before(socket, request);
  };
  const [a, again] = [new Recorder(), new Recorder()];
  const watch = link.watch('a', a);
  await a.version(1);
  watch.close();
  watch.close();
  await closed.until(({ shows }) => shows.length === 1);
  expect(clock.pending).toBe(0);
  link.watch('a', again);
  await again.version(1);
});

it('refuses one poll without harm to the others, and asks again for whoever watches it again', async () => {
  answer = message => {
    if (message.type !== 'subscribe') return undefined;
    if (message.id === 'b') return { type: 'error', code: 'poll_not_found', message: 'No.', id: 'b' };
    return results(message.id, 1);
  };
  const [a, b, again] = [new Recorder(), new Recorder(), new Recorder()];
  link.watch('a', a);
  link.watch('b', b);
  await Promise.all([a.state('live'), b.state('refused')]);
  expect(b.last).toMatchObject({ code: 4404 });
  answer = message => (message.type === 'subscribe' ? results(message.id, 1) : undefined);
  link.watch('b', again);
  await again.state('live');
  expect(b.last).toMatchObject({ state: 'refused' });
  expect(relay.requests).toHaveLength(1);
});

it('subscribes anew when a later watcher brings the key', async () => {
  const [first, second] = [new Recorder(), new Recorder()];
  link.watch('a', first);
  await first.version(1);
  link.watch('a', { ...second, key: 'view_a' });
  answer = () => results('a', 2);
  await second.until(() => relay.heard.length === 2 || second.versions.includes(2));
  await first.version(2);
  expect(heard()[1]).toEqual({ type: 'subscribe', id: 'a', key: 'view_a', since: positionOf(1) });
});

it('follows a show from poll to poll, and to nothing', async () => {
  answer = message => {
    if (message.type === 'follow') return { type: 'show', show: message.show, id: 'a' };
    return message.type === 'subscribe' ? results(message.id, 1) : undefined;
  };
  const seen = new Recorder();
  link.follow('evening', { ...seen, key: 'view_x' });
  await seen.state('live');
  say({ type: 'show', show: 'evening', id: 'b' });
  await seen.until(({ results }) => results.at(-1)?.id === 'b');
  say({ type: 'show', show: 'evening', id: null });
  await seen.until(({ shows }) => shows.length === 3);
  expect(seen.shows).toEqual(['a', 'b', null]);
  say(results('b', 9));
  say({ type: 'show', show: 'evening', id: 'c' });
  await seen.until(({ results }) => results.at(-1)?.id === 'c');
  expect(seen.results.map(({ id, version }) => [id, version])).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 1],
  ]);
  expect(heard()).toEqual([
    { type: 'follow', show: 'evening' },
    { type: 'subscribe', id: 'a', key: 'view_x' },
    { type: 'subscribe', id: 'b', key: 'view_x' },
    { type: 'unsubscribe', id: 'a' },
    { type: 'unsubscribe', id: 'b' },
    { type: 'subscribe', id: 'c', key: 'view_x' },
  ]);
});

it('follows a show once for many followers, and goes on after a reconnection', async () => {
  let pointed = 'a';
  answer = message => {
    if (message.type === 'follow') return { type: 'show', show: message.show, id: pointed };
    return message.type === 'subscribe' ? results(message.id, 1) : undefined;
  };
  const [first, second] = [new Recorder(), new Recorder()];
  link.follow('evening', first);
  await first.version(1);
  const follow = link.follow('evening', second);
  await second.version(1);
  pointed = 'b';
  for (const socket of relay.sockets) socket.terminate();
  await first.state('stale');
  clock.advance(500);
  await Promise.all([first, second].map(seen => seen.until(({ results }) => results.at(-1)?.id === 'b')));
  expect(second.shows).toEqual(['a', 'b']);
  follow.close();
  say(results('b', 2));
  await first.version(2);
  expect(second.versions).toEqual([1, 1]);
  expect(heard().filter(message => (message as ClientMessage).type === 'follow')).toHaveLength(2);
});

it('reads all its polls where no socket can be opened', async () => {
  relay.onSocket = undefined;
  relay.onRequest = (request, response) =>
    sendJson(response, 200, results(/(\w+)\?/.exec(request.url!)![1]!, 3));
  const [a, b] = [new Recorder(), new Recorder()];
  link.watch('a', a);
  link.watch('b', b);
  await Promise.all([a.version(3), b.version(3)]);
  expect(relay.requests).toEqual([
    'GET /api/live?heartbeat=3&compact=1&hz=5',
    'GET /api/poll/a?max_age=1',
    'GET /api/poll/b?max_age=1',
  ]);
  expect(a.last).toEqual({ state: 'live', via: 'read' });
});

it('reads where a show points to, and the poll that it points to, where no socket can be opened', async () => {
  relay.onSocket = undefined;
  let onAir: string | null = 'a';
  relay.onRequest = (request, response) => {
    const name = /(\w+)(\?|$)/.exec(request.url!)![1]!;
    if (request.url === '/api/show/nowhere')
      sendJson(response, 404, { success: 0, error: { code: 'show_not_found', message: 'No.' } });
    else if (request.url!.startsWith('/api/show/'))
      sendJson(response, 200, { success: 1, name, title: '', on_air: onAir });
    else sendJson(response, 200, results(name, 3));
  };
  const [seen, nowhere] = [new Recorder(), new Recorder()];
  link.follow('evening', seen);
  link.follow('nowhere', nowhere);
  await seen.version(3);
  expect(seen.shows).toEqual(['a']);
  expect(seen.last).toEqual({ state: 'live', via: 'read' });
  onAir = 'b';
  await clock.asked(3_000);
  clock.advance(3_000);
  await seen.until(({ results }) => results.at(-1)?.id === 'b');
  onAir = null;
  await clock.asked(3_000);
  clock.advance(3_000);
  await seen.until(({ shows }) => shows.length === 3);
  expect(seen.shows).toEqual(['a', 'b', null]);
  expect(nowhere.shows).toEqual([null]);
});
