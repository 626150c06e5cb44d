import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type WatchPollOptions, watchPoll } from '../../src/client/watch-poll.ts';
import type { Watch } from '../../src/client/watch-state.ts';
import { until } from '../support/until.ts';
import { ManualClock } from './manual-clock.ts';
import { Recorder } from './recorder.ts';
import { currentMessage, hiddenMessage, POLL_ID, resultsMessage } from './results-message.ts';
import { ScriptedRelay, sendJson, startStream } from './scripted-relay.ts';

const ROUTE_NOT_FOUND = '{"success":0,"error":{"code":"route_not_found","message":"There is nothing here."}}';
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
  vi.unstubAllGlobals();
  for (const watch of watches.splice(0)) watch.close();
  await relay.close();
});

function watch(options: Partial<WatchPollOptions> = {}, url = `${relay.url}/api/poll/${POLL_ID}`): Watch {
  const opened = watchPoll(url, { WebSocket, clock, ...seen, ...options });
  watches.push(opened);
  return opened;
}

/** As on Node.js 20. */
function watchWithoutWebSocket(): void {
  vi.stubGlobal('WebSocket', undefined);
  watch({ WebSocket: undefined });
}

/** Every later socket gets these messages. */
function answerSockets(...messages: unknown[]): void {
  relay.onSocket = socket => {
    for (const message of messages) socket.send(JSON.stringify(message));
  };
}

/** The client asks for its pause before it reports the loss. */
async function reconnectAfterLoss(): Promise<void> {
  await seen.state('stale');
  clock.advance(20_000);
}

describe('over a WebSocket', () => {
  it('connects and sends no message', async () => {
    answerSockets(resultsMessage(4));
    watch({ hz: 5 });
    await seen.version(4);
    expect(relay.requests).toEqual([`GET ${LIVE}&hz=5`]);
    expect(relay.received).toEqual([]);
    expect(seen.states).toEqual([{ state: 'live', via: 'websocket' }]);
  });

  it('sends the position that it holds when it reconnects', async () => {
    answerSockets(resultsMessage(4));
    watch();
    await seen.version(4);
    answerSockets(currentMessage(4));
    for (const socket of relay.sockets) socket.terminate();
    await reconnectAfterLoss();
    await seen.state('live');
    expect(relay.requests.at(-1)).toBe(`GET ${LIVE}&since=4-digest`);
    expect(seen.versions).toEqual([4]);
  });

  it('sends its key in a message and never in the URL', async () => {
    relay.onSocket = socket =>
      socket.on('message', () => socket.send(JSON.stringify(resultsMessage(1, { id: POLL_ID }))));
    watch({ since: '0-x' }, `${relay.url}/overlay/${POLL_ID}#key=view_secret`);
    await seen.version(1);
    expect(relay.requests).toEqual(['GET /api/live?heartbeat=3&compact=1']);
    expect(relay.received.map(text => JSON.parse(text))).toEqual([
      { type: 'subscribe', id: POLL_ID, key: 'view_secret', since: '0-x' },
    ]);
  });

  it.each([1001, 1012])('reconnects at once after a close with %i, and stays live', async code => {
    answerSockets(resultsMessage(1));
    clock.chance = 0.9;
    watch();
    await seen.version(1);
    answerSockets(resultsMessage(2));
    for (const socket of relay.sockets) socket.close(code, 'relay going away');
    await clock.asked(225);
    clock.advance(225);
    await seen.version(2);
    expect(seen.states.map(({ state }) => state)).toEqual(['live']);
  });

  it.each([
    [4400, 'invalid_request'],
    [4403, 'api_key_rejected'],
    [4410, 'poll_not_found'],
  ])('is rejected by a close with %i, and never reconnects', async (code, error) => {
    relay.onSocket = socket => socket.close(code, 'no');
    watch();
    await seen.state('refused');
    expect(seen.last).toMatchObject({ code, error });
    clock.advance(3_600_000);
    expect(clock.pending).toBe(0);
    expect(relay.requests).toHaveLength(1);
  });

  it('reports a rejection once, with the message that preceded the close', async () => {
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

  it('keeps a poll that is missing on screen and asks again, until it is back or deleted', async () => {
    const missing = { type: 'error', code: 'poll_not_found', message: 'No such poll.', id: POLL_ID };
    const refuse = (error: object, code: number) => {
      relay.onSocket = socket => {
        socket.send(JSON.stringify(error));
        socket.close(code);
      };
    };
    answerSockets(resultsMessage(4));
    watch();
    await seen.version(4);
    refuse(missing, 4404);
    for (const socket of relay.sockets) socket.terminate();
    await reconnectAfterLoss();
    await until(() => seen.states.length === 3, 'the answer');
    expect(seen.last).toEqual({ state: 'stale', reason: 'engine' });
    answerSockets(resultsMessage(5));
    await until(() => {
      clock.advance(20_000);
      return seen.versions.includes(5);
    }, 'the poll');
    refuse({ ...missing, deleted: true }, 4410);
    for (const socket of relay.sockets) socket.terminate();
    await until(() => {
      clock.advance(20_000);
      return seen.last?.state === 'refused';
    }, 'the end');
    expect(seen.last).toMatchObject({ code: 4410, error: 'poll_not_found' });
    expect(seen.states.map(({ state }) => state)).toEqual([
      'live',
      'stale',
      'stale',
      'live',
      'stale',
      'refused',
    ]);
  });

  it('leaves a server that sends what no relay sends, and tries again', async () => {
    const lies = ['{"type":"counts","version":9}', 'x'.repeat(1_000_001)];
    relay.onSocket = socket => {
      socket.send(JSON.stringify(resultsMessage(1)));
      socket.send(lies.shift() ?? JSON.stringify(resultsMessage(2)));
    };
    watch();
    await until(() => {
      clock.advance(20_000);
      return seen.versions.includes(2);
    }, 'an honest relay');
    expect(lies).toEqual([]);
  });

  it.each([4408, 4429, 1011])('reconnects after a close with %i', async code => {
    answerSockets(resultsMessage(1));
    watch();
    await seen.version(1);
    for (const socket of relay.sockets) socket.close(code);
    await reconnectAfterLoss();
    await seen.state('live');
  });

  it('ignores messages that it does not know', async () => {
    relay.onSocket = socket => {
      for (const text of ['not json', '{"type":"later"}', JSON.stringify(resultsMessage(2))])
        socket.send(text);
    };
    watch();
    await seen.version(2);
    expect(seen.states).toEqual([{ state: 'live', via: 'websocket' }]);
  });

  it('makes no call once it is closed, and may be closed twice', async () => {
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
});

describe('over Server-Sent Events', () => {
  it('falls back at once if the socket fails, with the key in a header', async () => {
    relay.onRequest = (_, response) => startStream(response, resultsMessage(3));
    watch({ key: 'view_secret' });
    await seen.version(3);
    expect(relay.requests).toEqual(['GET /api/live?heartbeat=3&compact=1', `GET ${LIVE}`]);
    expect(relay.headers[1]?.['x-api-key']).toBe('view_secret');
    expect(clock.now()).toBe(0);
    expect(seen.last).toEqual({ state: 'live', via: 'sse' });
  });

  class ThrowingSocket {
    constructor() {
      throw new Error('mixed content');
    }
  }
  /** As in Chromium, which fires an error and no close. */
  class SilentSocket extends EventTarget {
    readonly readyState = 3;
    constructor() {
      super();
      setTimeout(() => this.dispatchEvent(new Event('error')));
    }
    send(): void {}
    close(): void {}
  }
  it.each([ThrowingSocket, SilentSocket])(
    'falls back at once if a policy forbids sockets: %o',
    async Socket => {
      relay.onRequest = (_, response) => startStream(response, resultsMessage(3));
      watch({ WebSocket: Socket as unknown as WatchPollOptions['WebSocket'] });
      await seen.version(3);
      expect(clock.now()).toBe(0);
      expect(seen.last).toEqual({ state: 'live', via: 'sse' });
    },
  );

  it('is the first transport where there is no WebSocket', async () => {
    relay.onRequest = (_, response) => startStream(response, hiddenMessage());
    watchWithoutWebSocket();
    await seen.state('hidden');
    expect(relay.requests).toEqual([`GET ${LIVE}`]);
  });

  it('reconnects when the relay asks for it, with the position that it holds', async () => {
    relay.onRequest = (_, response) => {
      startStream(response, resultsMessage(3));
      response.end('retry: 1234\n\n');
    };
    watchWithoutWebSocket();
    await clock.asked(1_234);
    relay.onRequest = (_, response) => startStream(response, resultsMessage(4));
    clock.advance(1_234);
    await seen.version(4);
    expect(relay.requests.at(-1)).toBe(`GET ${LIVE}&since=3-digest`);
  });

  it('is rejected with the same reason as over a WebSocket, and never reconnects', async () => {
    const issues = [{ path: 'hz', message: 'must be a whole number from 1 to 20' }];
    const error = { code: 'invalid_request', message: 'The request is not valid.', issues };
    relay.onRequest = (_, response) => sendJson(response, 400, { success: 0, error });
    watchWithoutWebSocket();
    await seen.state('refused');
    expect(seen.last).toMatchObject({ code: 4400, message: 'hz must be a whole number from 1 to 20.' });
    expect(relay.requests).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('is not rejected by a 404 from a server that is not a relay', async () => {
    relay.onRequest = (request, response) =>
      request.url === LIVE
        ? response.writeHead(404).end('<html>')
        : sendJson(response, 200, resultsMessage(1));
    watchWithoutWebSocket();
    await seen.state('live');
    expect(seen.last).toEqual({ state: 'live', via: 'read' });
  });
});

describe('a wrong address', () => {
  it.each([
    ['a web server answers 404', 404, '<html>', 'status 404'],
    ['a relay has no such route', 404, ROUTE_NOT_FOUND, 'status 404'],
    ['a web server answers with HTML', 200, '<html>', 'the server is not a relay'],
    ['a web server answers with other JSON', 200, '{"hello": 1}', 'the server is not a relay'],
    ['a proxy has no relay', 502, 'bad gateway', 'status 502'],
  ])('is reported after each failed round if %s', async (_, status, body, reason) => {
    relay.onRequest = (_, response) => response.writeHead(status).end(body);
    watch();
    await seen.until(({ states }) => states.length === 1);
    clock.advance(20_000);
    await seen.until(({ states }) => states.length === 2);
    expect(seen.states).toEqual([
      { state: 'connecting', attempts: 1, reason },
      { state: 'connecting', attempts: 2, reason },
    ]);
    expect(seen.results).toEqual([]);
  });

  it('is reported if no server listens there', async () => {
    watch({}, `http://127.0.0.1:1/api/poll/${POLL_ID}`);
    await seen.state('connecting');
    expect(seen.last).toEqual({ state: 'connecting', attempts: 1, reason: expect.stringMatching(/\w/) });
  });

  it('recovers once a relay answers there', async () => {
    watch();
    await seen.state('connecting');
    answerSockets(resultsMessage(1));
    clock.advance(clock.pauses.at(-1)!);
    await seen.state('live');
  });
});

describe('polling', () => {
  const onlyReads = (answer: () => [status: number, body: unknown]): void => {
    relay.onRequest = (request, response) => {
      if (request.url?.includes('/live')) response.writeHead(502).end();
      else sendJson(response, ...answer());
    };
  };

  it('is the last resort, and reads every 1.5 to 4.5 s whatever the heartbeat', async () => {
    let version = 0;
    onlyReads(() => {
      version += 1;
      return [200, { ...resultsMessage(version), type: undefined }];
    });
    clock.chance = 0.999;
    watch({ heartbeat: 1 });
    await seen.version(1);
    expect(clock.now()).toBe(0);
    for (const next of [2, 3]) {
      await clock.asked(3_000 * 1.499);
      clock.advance(3_000 * 1.499);
      await seen.version(next);
    }
    expect(seen.states).toEqual([{ state: 'live', via: 'read' }]);
  });

  it.each([
    ['accepts an answer from a cache', undefined, '?max_age=1'],
    ['asks the relay itself with a key', 'view_secret', ''],
  ])('%s', async (_, key, query) => {
    onlyReads(() => [200, resultsMessage(1)]);
    watch({ key });
    await seen.state('live');
    expect(relay.requests.at(-1)).toBe(`GET /api/poll/${POLL_ID}${query}`);
  });

  it('keeps the results while the relay fails, and recovers', async () => {
    let isDown = false;
    onlyReads(() => (isDown ? [503, {}] : [200, resultsMessage(1)]));
    watch();
    await seen.state('live');
    isDown = true;
    await clock.asked(3_000);
    clock.advance(3_000);
    await seen.state('stale');
    isDown = false;
    clock.advance(20_000);
    await seen.state('live');
    expect(seen.versions).toEqual([1]);
  });
});
