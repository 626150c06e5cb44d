import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type FollowOptions, RelayLink, type WatchOptions } from '../../src/client/relay-link.ts';
import type { ClientMessage, ServerMessage } from '../../src/protocol/messages.ts';
import { until } from '../support/until.ts';
import { ManualClock } from './manual-clock.ts';
import { Recorder } from './recorder.ts';
import { positionOf, resultsMessage } from './results-message.ts';
import { ScriptedRelay, sendJson } from './scripted-relay.ts';

let relay: ScriptedRelay;
let clock: ManualClock;
let link: RelayLink;
/** The reply to a message; without one, none. */
let answer: (message: ClientMessage) => object | undefined;
/** The messages of each socket, in the order in which sockets were opened. */
let sockets: ClientMessage[][];

beforeEach(async () => {
  relay = await ScriptedRelay.open();
  clock = new ManualClock();
  link = new RelayLink(relay.url, { WebSocket, clock, hz: 5 });
  sockets = [];
  answer = answerAll;
  relay.onSocket = socket => {
    const messages: ClientMessage[] = [];
    sockets.push(messages);
    socket.on('message', data => {
      const message = JSON.parse(String(data)) as ClientMessage;
      messages.push(message);
      // The relay closes a connection for a bad message.
      if ('key' in message && (message.key === '' || (message.key?.length ?? 0) > 512))
        return socket.close(4400, 'bad message');
      const reply = answer(message);
      if (reply) socket.send(JSON.stringify(reply));
    });
  };
});

afterEach(async () => {
  link.close();
  await relay.close();
});

const results = (id: string, version: number): ServerMessage => resultsMessage(version, { id });

function answerAll(message: ClientMessage): object | undefined {
  if (message.type === 'subscribe') return results(message.id, Number.parseInt(`${message.since ?? 1}`, 10));
  if (message.type === 'follow') return { type: 'show', show: message.show, id: `poll-of-${message.show}` };
  return undefined;
}

function watch(id: string, options?: Partial<WatchOptions>) {
  const seen = new Recorder();
  return Object.assign(seen, { watching: link.watch(id, { ...seen, ...options }) });
}

function follow(name: string, options?: Partial<FollowOptions>) {
  const seen = new Recorder();
  return Object.assign(seen, { watching: link.follow(name, { ...seen, ...options }) });
}

function send(message: ServerMessage): void {
  for (const socket of relay.sockets) socket.send(JSON.stringify(message));
}

async function reconnect(...recorders: Recorder[]): Promise<void> {
  for (const socket of relay.sockets) socket.terminate();
  await Promise.all(recorders.map(seen => seen.state('stale')));
  clock.advance(500);
}

const follows = () => sockets.map(sent => sent.flatMap(one => (one.type === 'follow' ? one.show : [])));

describe('watching polls', () => {
  it('uses one socket for many polls, and calls each watcher with its own', async () => {
    const [a, b] = [watch('a'), watch('b', { key: 'view_b' })];
    await Promise.all([a.version(1), b.version(1)]);
    send(results('b', 2));
    await b.version(2);
    expect(a.versions).toEqual([1]);
    expect(relay.requests).toEqual(['GET /api/live?heartbeat=3&compact=1&hz=5']);
    expect(sockets).toEqual([
      [
        { type: 'subscribe', id: 'a' },
        { type: 'subscribe', id: 'b', key: 'view_b' },
      ],
    ]);
  });

  it('subscribes once for many watchers of a poll, and calls later ones with what is known', async () => {
    const first = watch('a');
    await first.version(1);
    const second = watch('a');
    await second.version(1);
    expect(second.states).toEqual([{ state: 'live', via: 'websocket' }]);
    second.watching.close();
    send(results('a', 2));
    await first.version(2);
    expect(second.versions).toEqual([1]);
    expect(sockets).toEqual([[{ type: 'subscribe', id: 'a' }]]);
  });

  it('sends the position of each poll when it reconnects', async () => {
    const [a, b] = [watch('a'), watch('b')];
    await Promise.all([a.version(1), b.version(1)]);
    send(results('a', 7));
    await a.version(7);
    await reconnect(a, b);
    await Promise.all([a.state('live'), b.state('live')]);
    expect(sockets[1]).toEqual([
      { type: 'subscribe', id: 'a', since: positionOf(7) },
      { type: 'subscribe', id: 'b', since: positionOf(1) },
    ]);
  });

  it('closes the socket with the last watcher, and opens another for the next', async () => {
    const a = watch('a');
    await a.version(1);
    a.watching.close();
    a.watching.close();
    await until(() => relay.sockets.size === 0, 'the close');
    expect(clock.pending).toBe(0);
    await watch('a').version(1);
  });

  it('rejects one poll without effect on the others, and subscribes again for the next watcher', async () => {
    answer = message =>
      'id' in message && message.id === 'b'
        ? { type: 'error', code: 'poll_not_found', message: 'No.', id: 'b' }
        : answerAll(message);
    const [a, b] = [watch('a'), watch('b')];
    await Promise.all([a.state('live'), b.state('refused')]);
    expect(b.last).toMatchObject({ code: 4404 });
    answer = answerAll;
    await watch('b').state('live');
    await b.state('live');
    expect(relay.requests).toHaveLength(1);
  });

  it('subscribes again when a later watcher brings a key', async () => {
    const first = watch('a');
    await first.version(1);
    answer = () => results('a', 2);
    watch('a', { key: 'view_a' });
    await first.version(2);
    expect(sockets[0]?.[1]).toEqual({ type: 'subscribe', id: 'a', key: 'view_a', since: positionOf(1) });
  });

  it('opens a connection for every hundred polls, and still shares each poll', async () => {
    const ids = Array.from({ length: 201 }, (_, at) => `poll-${at}`);
    await Promise.all([...ids, 'poll-0', 'poll-200'].map(id => watch(id).version(1)));
    const sent = sockets.map(messages => messages.length);
    expect(sent.sort((one, other) => other - one)).toEqual([100, 100, 1]);
  });

  it('polls them all if no socket can be opened', async () => {
    relay.onSocket = undefined;
    relay.onRequest = (request, response) =>
      sendJson(response, 200, results(/(\w+)\?/.exec(request.url!)![1]!, 3));
    const [a, b] = [watch('a'), watch('b')];
    await Promise.all([a.version(3), b.version(3)]);
    expect(relay.requests).toEqual([
      'GET /api/live?heartbeat=3&compact=1&hz=5',
      'GET /api/poll/a?max_age=1',
      'GET /api/poll/b?max_age=1',
    ]);
    expect(a.last).toEqual({ state: 'live', via: 'read' });
  });
});

describe('following shows', () => {
  it('watches the poll on air, from one to the next and to none', async () => {
    answer = message =>
      message.type === 'follow' ? { type: 'show', show: message.show, id: 'a' } : answerAll(message);
    const seen = follow('evening', { key: 'view_x' });
    await seen.state('live');
    send({ type: 'show', show: 'evening', id: 'b' });
    await seen.until(({ results }) => results.at(-1)?.id === 'b');
    send({ type: 'show', show: 'evening', id: null });
    await seen.until(({ shows }) => shows.length === 3);
    expect(seen.shows).toEqual(['a', 'b', null]);
    send(results('b', 9));
    send({ type: 'show', show: 'evening', id: 'c' });
    await seen.until(({ results }) => results.at(-1)?.id === 'c');
    expect(seen.results.map(({ id, version }) => [id, version])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
    expect(sockets).toEqual([
      [
        { type: 'follow', show: 'evening' },
        { type: 'subscribe', id: 'a', key: 'view_x' },
        { type: 'subscribe', id: 'b', key: 'view_x' },
        { type: 'unsubscribe', id: 'a' },
        { type: 'unsubscribe', id: 'b' },
        { type: 'subscribe', id: 'c', key: 'view_x' },
      ],
    ]);
  });

  it('follows once for many followers, and goes on after a reconnect', async () => {
    let onAir = 'a';
    answer = message =>
      message.type === 'follow' ? { type: 'show', show: message.show, id: onAir } : answerAll(message);
    const first = follow('evening');
    await first.version(1);
    const second = follow('evening');
    await second.version(1);
    onAir = 'b';
    await reconnect(first);
    await Promise.all([first, second].map(seen => seen.until(({ results }) => results.at(-1)?.id === 'b')));
    expect(second.shows).toEqual(['a', 'b']);
    second.watching.close();
    send(results('b', 2));
    await first.version(2);
    expect(second.versions).toEqual([1, 1]);
    expect(follows()).toEqual([['evening'], ['evening']]);
  });

  it('follows again with another key after a rejection', async () => {
    answer = message =>
      message.type !== 'follow'
        ? undefined
        : message.key === 'show_new'
          ? { type: 'show', show: message.show, id: null }
          : { type: 'error', code: 'api_key_rejected', message: 'no', show: message.show };
    watch('a');
    await new Promise(onRefused => follow('friday-night', { showKey: 'show_old', onRefused }));
    const seen = follow('friday-night', { showKey: 'show_new' });
    await seen.until(({ shows }) => shows.length === 1);
    expect(seen.shows).toEqual([null]);
  });

  it('polls the show and the poll on air if no socket can be opened', async () => {
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
    const [seen, nowhere] = [follow('evening'), follow('nowhere')];
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

  const names = Array.from({ length: 12 }, (_, at) => `show-${at}`);

  it('opens a connection for every five shows', async () => {
    const followers = names.map(name => follow(name));
    await Promise.all(followers.map(seen => seen.version(1)));
    expect(followers.map(seen => seen.shows)).toEqual(names.map(name => [`poll-of-${name}`]));
    const counts = follows().map(shows => shows.length);
    expect(counts.sort((one, other) => other - one)).toEqual([5, 5, 2]);
    expect(follows().flat().sort()).toEqual([...names].sort());
  });

  it('replaces a connection that is full of shows without followers, and does not interrupt polls', async () => {
    const steady = watch('steady');
    await steady.version(1);
    for (const name of names) {
      const seen = follow(name);
      await seen.version(1);
      seen.watching.close();
    }
    expect(Math.max(...follows().map(shows => shows.length))).toBe(5);
    expect(follows().flat()).toEqual(names);
    expect(steady.states).toEqual([{ state: 'live', via: 'websocket' }]);
  });

  it('does not follow a show without followers after a reconnect', async () => {
    const [gone, stays] = [follow('gone'), follow('stays')];
    await Promise.all([gone.version(1), stays.version(1)]);
    gone.watching.close();
    await reconnect(stays);
    await stays.state('live');
    expect(follows()).toEqual([['gone', 'stays'], ['stays']]);
  });
});

describe('a key that no poll or show can have', () => {
  it.each([
    ['too long', 'x'.repeat(600)],
    ['empty', ''],
    ['not a string', 7 as unknown as string],
  ])('is rejected for its own watcher alone if it is %s', async (_, key) => {
    const [good, bad, beside] = [watch('a'), watch('b', { key }), watch('b', { key: 'view_b' })];
    await Promise.all([good.version(1), beside.version(1), bad.state('refused')]);
    expect(bad.states).toEqual([
      { state: 'refused', code: 4403, error: 'api_key_rejected', message: 'key rejected' },
    ]);
    expect([...good.states, ...beside.states].map(({ state }) => state)).toEqual(['live', 'live']);
    expect(relay.sockets.size).toBe(1);
  });

  it('is rejected for its own show alone', async () => {
    const good = watch('a');
    const rejected = new Promise(onRefused => {
      follow('friday-night', { showKey: 'x'.repeat(600), onRefused });
    });
    const other = follow('saturday-night');
    expect(await rejected).toMatchObject({ code: 'api_key_rejected', show: 'friday-night' });
    await Promise.all([good.version(1), other.version(1)]);
    expect(good.states).toEqual([{ state: 'live', via: 'websocket' }]);
  });
});

describe('a bad address or name', () => {
  it('throws for names that no poll or show can have, without effect on the others', async () => {
    watch('a');
    for (const id of ['', 'https://relay.example/api/poll/a', 'x'.repeat(65)])
      expect(() => watch(id)).toThrow(TypeError);
    for (const name of ['', 'tv', '-evening', 'Evening', 'x'.repeat(41)])
      expect(() => follow(name)).toThrow(TypeError);
    await until(() => relay.received.length > 0, 'the subscription');
    expect(sockets).toEqual([[{ type: 'subscribe', id: 'a' }]]);
  });

  it.each(['', 'relay.example', 'localhost:8080', 'ftp://relay.example'])('throws for the URL %j', url => {
    expect(() => new RelayLink(url)).toThrow(TypeError);
  });

  it.each([
    ['nothing but a proxy answers', 502, {}, 'status 502'],
    ['there is no such route', 404, { error: { code: 'route_not_found', message: 'No.' } }, 'status 404'],
  ])('is reported to followers if %s, and not as a show without a poll', async (_, status, body, reason) => {
    relay.onSocket = undefined;
    relay.onRequest = (_, response) => sendJson(response, status, body);
    const seen = follow('evening');
    await seen.state('connecting');
    expect(seen.last).toEqual({ state: 'connecting', attempts: 1, reason });
    expect(seen.shows).toEqual([]);
  });
});

it('rejects everything if the relay rejects the connection', async () => {
  relay.onSocket = socket => socket.close(4400, 'bad message');
  const seen = watch('a');
  const rejected = new Promise(onRefused => follow('evening', { onRefused }));
  await seen.state('refused');
  expect(await rejected).toMatchObject({ code: 'invalid_request', show: 'evening' });
  expect(clock.pending).toBe(0);
});
