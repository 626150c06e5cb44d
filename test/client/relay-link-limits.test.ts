import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { RelayLink } from '../../src/client/relay-link.ts';
import type { ClientMessage, ServerMessage } from '../../src/protocol/messages.ts';
import { until } from '../support/until.ts';
import { ManualClock } from './manual-clock.ts';
import { Recorder } from './recorder.ts';
import { resultsMessage } from './results-message.ts';
import { ScriptedRelay } from './scripted-relay.ts';

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
  for (const name of ['', '-a', 'Evening', 'x'.repeat(65)])
    expect(() => link.follow(name, new Recorder())).toThrow(TypeError);
  await until(() => relay.heard.length > 0, 'what it asks for');
  expect(relay.heard.map(text => JSON.parse(text).id)).toEqual(['a']);
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
  await seen.state('refused');
  expect(clock.pending).toBe(0);
});
