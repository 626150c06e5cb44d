import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type WatchPollOptions, watchPoll } from '../../src/client/watch-poll.ts';
import type { Watch } from '../../src/client/watch-state.ts';
import { ManualClock } from './manual-clock.ts';
import { Recorder } from './recorder.ts';
import { currentMessage, POLL_ID, resultsMessage } from './results-message.ts';
import { ScriptedRelay, startStream } from './scripted-relay.ts';

const LIVE = `/api/poll/${POLL_ID}/live?heartbeat=3&compact=1`;

let relay: ScriptedRelay;
let clock: ManualClock;
let seen: Recorder;
const watches: Watch[] = [];

beforeEach(async () => {
  relay = await ScriptedRelay.open();
  clock = new ManualClock();
  seen = new Recorder();
});

afterEach(async () => {
  for (const watch of watches.splice(0)) watch.close();
  await relay.close();
});

function watch(options: Partial<WatchPollOptions> = {}, url = `${relay.url}/api/poll/${POLL_ID}`): Watch {
  const opened = watchPoll(url, { WebSocket, clock, ...seen, ...options });
  watches.push(opened);
  return opened;
}

/** The pause before the next attempt has been asked for when the connection is told lost. */
async function lostAndBack(): Promise<void> {
  await seen.state('stale');
  clock.advance(20_000);
}

describe('over a WebSocket', () => {
  it('connects, draws and says nothing', async () => {
    relay.onSocket = socket => socket.send(JSON.stringify(resultsMessage(4)));
    watch({ hz: 5 });
    await seen.version(4);
    expect(relay.requests).toEqual([`GET ${LIVE}&hz=5`]);
    expect(relay.heard).toEqual([]);
    expect(seen.states).toEqual([{ state: 'live', via: 'websocket' }]);
  });

  it('says which position it holds when it comes back', async () => {
    relay.onSocket = socket => socket.send(JSON.stringify(resultsMessage(4)));
    watch();
    await seen.version(4);
    relay.onSocket = socket => socket.send(JSON.stringify(currentMessage(4)));
    for (const socket of relay.sockets) socket.terminate();
    await lostAndBack();
    await seen.state('live');
    expect(relay.requests.at(-1)).toBe(`GET ${LIVE}&since=4-digest`);
    expect(seen.versions).toEqual([4]);
  });

  it('shows its key in a message and never in the URL', async () => {
    relay.onSocket = socket =>
      socket.on('message', () => socket.send(JSON.stringify(resultsMessage(1, { id: POLL_ID }))));
    watch({ since: '0-x' }, `${relay.url}/overlay/${POLL_ID}#key=view_secret`);
    await seen.version(1);
    expect(relay.requests).toEqual(['GET /api/live?heartbeat=3&compact=1']);
    expect(relay.heard.map(text => JSON.parse(text))).toEqual([
      { type: 'subscribe', id: POLL_ID, key: 'view_secret', since: '0-x' },
    ]);
  });

  it.each([1001, 1012])(
    'is back a moment after a relay went away with %i, and live meanwhile',
    async code => {
      relay.onSocket = socket => socket.send(JSON.stringify(resultsMessage(1)));
      clock.chance = 0.9;
      watch();
      await seen.version(1);
      relay.onSocket = socket => socket.send(JSON.stringify(resultsMessage(2)));
      for (const socket of relay.sockets) socket.close(code, 'relay going away');
      await clock.asked(225);
      clock.advance(225);
      await seen.version(2);
      expect(seen.last).toMatchObject({ state: 'live' });
      expect(seen.states.map(({ state }) => state)).toEqual(['live']);
    },
  );

  it.each([
    [4400, 'invalid_request'],
    [4403, 'api_key_rejected'],
    [4404, 'poll_not_found'],
    [4410, 'poll_not_found'],
  ])('is refused by a close with %i, and never comes back', async (code, error) => {
    relay.onSocket = socket => socket.close(code, 'no');
    watch();
    await seen.state('refused');
    expect(seen.last).toMatchObject({ code, error });
    clock.advance(3_600_000);
    expect(clock.pending).toBe(0);
    expect(relay.requests).toHaveLength(1);
  });

  it('takes the words before a close for the refusal, and is told once', async () => {
    relay.onSocket = socket => {
      socket.send(JSON.stringify({ type: 'error', code: 'poll_not_found', message: 'No such poll.' }));
      socket.close(4404, 'no such poll');
    };
    watch();
    await seen.state('refused');
    expect(seen.states).toEqual([
      { state: 'refused', code: 4404, error: 'poll_not_found', message: 'No such poll.' },
    ]);
  });

  it.each([4408, 4429, 1011])('comes back after a close with %i', async code => {
    relay.onSocket = socket => socket.send(JSON.stringify(resultsMessage(1)));
    watch();
    await seen.version(1);
    for (const socket of relay.sockets) socket.close(code);
    await lostAndBack();
    await seen.state('live');
  });

  it('passes over what it does not understand', async () => {
    relay.onSocket = socket => {
      for (const text of ['not json', '{"type":"later"}', JSON.stringify(resultsMessage(2))])
        socket.send(text);
    };
    watch();
    await seen.version(2);
    expect(seen.states).toEqual([{ state: 'live', via: 'websocket' }]);
  });

  it('falls back where the page may not open a socket at all', async () => {
    class Forbidden {
      constructor() {
        throw new Error('mixed content');
      }
    }
    relay.onRequest = (_, response) => startStream(response, resultsMessage(1));
    watch({ WebSocket: Forbidden as unknown as typeof WebSocket });
    await seen.version(1);
  });
});

it('stops telling once it is closed, and may be closed twice', async () => {
  relay.onSocket = socket => {
    for (const version of [1, 2]) socket.send(JSON.stringify(resultsMessage(version)));
    socket.on('close', () => seen.onShow('closed'));
  };
  const watching = watch({
    onResults: results => {
      seen.onResults(results);
      watching.close();
    },
  });
  await seen.version(1);
  watching.close();
  await seen.until(({ shows }) => shows.length === 1);
  expect(seen.versions).toEqual([1]);
  expect(clock.pending).toBe(0);
});
