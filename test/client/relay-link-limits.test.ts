import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { RelayLink } from '../../src/client/relay-link.ts';
import type { ClientMessage, ServerMessage } from '../../src/protocol/messages.ts';
import { until } from '../support/until.ts';
import { ManualClock } from './manual-clock.ts';
import { Recorder } from './recorder.ts';
import { resultsMessage } from './results-message.ts';
import { ScriptedRelay, sendJson } from './scripted-relay.ts';

/** What one connection does not carry, and what no relay would take. */

let relay: ScriptedRelay;
let link: RelayLink;
let clock: ManualClock;

beforeEach(async () => {
  relay = await ScriptedRelay.open();
  clock = new ManualClock();
  link = new RelayLink(relay.url, { WebSocket, clock });
  relay.onSocket = () => {};
});

afterEach(async () => {
  link.close();
  await relay.close();
});

const results = (id: string, version: number): ServerMessage => resultsMessage(version, { id });

it('takes a connection more for every hundred polls, and shares each poll all the same', async () => {
  const subscribed: number[] = [];
  relay.onSocket = socket => {
    const at = subscribed.push(0) - 1;
    socket.on('message', data => {
      const message = JSON.parse(String(data)) as ClientMessage;
      if (message.type !== 'subscribe') return;
      subscribed[at] = (subscribed[at] ?? 0) + 1;
      socket.send(JSON.stringify(results(message.id, 1)));
    });
  };
  const ids = Array.from({ length: 201 }, (_, at) => `poll-${at}`);
  const watchers = [...ids, 'poll-0', 'poll-200'].map(id => {
    const seen = new Recorder();
    link.watch(id, seen);
    return seen;
  });
  await Promise.all(watchers.map(seen => seen.version(1)));
  expect(subscribed.sort((one, other) => other - one)).toEqual([100, 100, 1]);
});

it('takes no name that no poll or show can have, and keeps what it has', async () => {
  const seen = new Recorder();
  link.watch('a', seen);
  for (const id of ['', 'https://relay.example/api/poll/a', 'x'.repeat(65)])
    expect(() => link.watch(id, new Recorder())).toThrow(TypeError);
  for (const name of ['', 'tv', '-evening', 'Evening', 'x'.repeat(41)])
    expect(() => link.follow(name, new Recorder())).toThrow(TypeError);
  await until(() => relay.heard.length > 0, 'what it asks for');
  expect(relay.heard.map(text => JSON.parse(text).id)).toEqual(['a']);
});

describe('a key that can be none', () => {
  const answerAll = () => {
    relay.onSocket = socket =>
      socket.on('message', data => {
        const { id, key, show } = JSON.parse(String(data));
        // As a relay closes a connection for a message against the rules.
        if (key?.length > 512 || key === '') socket.close(4400, 'bad message');
        else if (id) socket.send(JSON.stringify(results(id, 1)));
        else socket.send(JSON.stringify({ type: 'show', show, id: `poll-of-${show}` }));
      });
  };

  it.each([
    ['too long', 'x'.repeat(600)],
    ['empty', ''],
    ['no string', 7 as unknown as string],
  ])('costs its own watch alone where it is %s', async (_, key) => {
    answerAll();
    const [good, bad, beside] = [new Recorder(), new Recorder(), new Recorder()];
    link.watch('a', good);
    link.watch('b', { ...bad, key });
    link.watch('b', { ...beside, key: 'view_b' });
    await Promise.all([good.version(1), beside.version(1), bad.state('refused')]);
    expect(bad.states).toEqual([
      { state: 'refused', code: 4403, error: 'api_key_rejected', message: 'key rejected' },
    ]);
    expect([...good.states, ...beside.states].map(({ state }) => state)).toEqual(['live', 'live']);
    expect(relay.sockets.size).toBe(1);
  });

  it('is refused for the show that it is of, and no other', async () => {
    answerAll();
    const [good, other] = [new Recorder(), new Recorder()];
    link.watch('a', good);
    const refused = new Promise(onRefused => {
      link.follow('friday-night', { ...new Recorder(), showKey: 'x'.repeat(600), onRefused });
    });
    link.follow('saturday-night', other);
    expect(await refused).toMatchObject({ code: 'api_key_rejected', show: 'friday-night' });
    await Promise.all([good.version(1), other.version(1)]);
    expect(good.states).toEqual([{ state: 'live', via: 'websocket' }]);
  });
});

it('asks again for a show that was refused, once it is followed with another key', async () => {
  relay.onSocket = socket =>
    socket.on('message', data => {
      const { show, key } = JSON.parse(String(data));
      const message = { type: 'error', code: 'api_key_rejected', message: 'no', show };
      socket.send(JSON.stringify(key === 'show_new' ? { type: 'show', show, id: null } : message));
    });
  link.watch('a', new Recorder());
  const seen = new Recorder();
  const follow = (showKey: string) =>
    new Promise(onRefused => {
      link.follow('friday-night', { ...seen, showKey, onRefused });
    });
  await follow('show_old');
  void follow('show_new');
  await seen.until(({ shows }) => shows.length === 1);
  expect(seen.shows).toEqual([null]);
});

describe('more shows than a connection may follow', () => {
  /** The shows that were followed on each socket, in the order in which the sockets came. */
  let sockets: string[][];

  beforeEach(() => {
    sockets = [];
    relay.onSocket = socket => {
      const follows: string[] = [];
      sockets.push(follows);
      socket.on('message', data => {
        const message = JSON.parse(String(data)) as ClientMessage;
        if (message.type === 'subscribe') socket.send(JSON.stringify(results(message.id, 1)));
        if (message.type !== 'follow') return;
        follows.push(message.show);
        socket.send(JSON.stringify({ type: 'show', show: message.show, id: `poll-of-${message.show}` }));
      });
    };
  });
  const names = Array.from({ length: 12 }, (_, at) => `show-${at}`);

  it('take a connection more for every five', async () => {
    const followers = names.map(name => {
      const seen = new Recorder();
      link.follow(name, seen);
      return seen;
    });
    await Promise.all(followers.map(seen => seen.version(1)));
    expect(followers.map(seen => seen.shows)).toEqual(names.map(name => [`poll-of-${name}`]));
    const said = [...sockets].sort((one, other) => other.length - one.length);
    expect(said.map(follows => follows.length)).toEqual([5, 5, 2]);
    expect(sockets.flat().sort()).toEqual([...names].sort());
  });

  it('one after the other never fill a connection, and what stays is not interrupted', async () => {
    const steady = new Recorder();
    link.watch('steady', steady);
    await steady.version(1);
    for (const name of names) {
      const seen = new Recorder();
      const follow = link.follow(name, seen);
      await seen.version(1);
      follow.close();
    }
    expect(Math.max(...sockets.map(follows => follows.length))).toBe(5);
    expect(sockets.flat()).toEqual(names);
    expect(steady.states).toEqual([{ state: 'live', via: 'websocket' }]);
  });

  it('are not said again when nobody follows them any more', async () => {
    const [gone, stays] = [new Recorder(), new Recorder()];
    const follow = link.follow('gone', gone);
    link.follow('stays', stays);
    await Promise.all([gone.version(1), stays.version(1)]);
    follow.close();
    for (const socket of relay.sockets) socket.terminate();
    await stays.state('stale');
    clock.advance(500);
    await stays.state('live');
    expect(sockets).toEqual([['gone', 'stays'], ['stays']]);
  });
});

it('tells who follows a show that the relay does not answer', async () => {
  relay.onSocket = undefined;
  const seen = new Recorder();
  link.follow('evening', seen);
  await seen.state('connecting');
  expect(seen.last).toEqual({ state: 'connecting', attempts: 1, reason: 'status 502' });
});

it.each(['', 'relay.example', 'localhost:8080', 'ftp://relay.example'])(
  'is no link to %j, which is no address of a relay',
  url => {
    expect(() => new RelayLink(url)).toThrow(TypeError);
  },
);

it('gives up all polls where the relay refuses the connection as such', async () => {
  relay.onSocket = socket => socket.close(4400, 'bad message');
  const seen = new Recorder();
  link.watch('a', seen);
  const isFollowRefused = new Promise(onRefused => {
    link.follow('evening', { ...new Recorder(), onRefused });
  });
  await seen.state('refused');
  expect(await isFollowRefused).toMatchObject({ code: 'invalid_request', show: 'evening' });
  expect(clock.pending).toBe(0);
});

it('tells those who follow a show that the address is wrong, and does not say that nothing is on air', async () => {
  relay.onSocket = undefined;
  const error = { code: 'route_not_found', message: 'There is nothing here.' };
  relay.onRequest = (_, response) => sendJson(response, 404, { success: 0, error });
  const seen = new Recorder();
  link.follow('evening', seen);
  await seen.state('connecting');
  expect(seen.last).toEqual({ state: 'connecting', attempts: 1, reason: 'status 404' });
  expect(seen.shows).toEqual([]);
});
