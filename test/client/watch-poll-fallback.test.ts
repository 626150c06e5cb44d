import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type WatchPollOptions, watchPoll } from '../../src/client/watch-poll.ts';
import type { Watch } from '../../src/client/watch-state.ts';
import { ManualClock } from './manual-clock.ts';
import { Recorder } from './recorder.ts';
import { hiddenMessage, POLL_ID, resultsMessage } from './results-message.ts';
import { ScriptedRelay, sendJson, startStream } from './scripted-relay.ts';

const NO_ROUTE = '{"success":0,"error":{"code":"route_not_found","message":"There is nothing here."}}';
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

/** As on Node 20, which has none. */
function watchWithoutSocket(): void {
  vi.stubGlobal('WebSocket', undefined);
  watch({ WebSocket: undefined });
}

describe('over Server-Sent Events', () => {
  it('is used at once where the socket cannot be opened, with the key in a header', async () => {
    relay.onRequest = (_, response) => startStream(response, resultsMessage(3));
    watch({ key: 'view_secret' });
    await seen.version(3);
    expect(relay.requests).toEqual(['GET /api/live?heartbeat=3&compact=1', `GET ${LIVE}`]);
    expect(relay.headers[1]?.['x-api-key']).toBe('view_secret');
    expect(clock.now()).toBe(0);
    expect(seen.last).toEqual({ state: 'live', via: 'sse' });
  });

  it('is used at once where a policy forbids the socket, which Chromium tells by an error and no close', async () => {
    class ForbiddenSocket extends EventTarget {
      readonly readyState = 3;
      constructor() {
        super();
        setTimeout(() => this.dispatchEvent(new Event('error')));
      }
      send(): void {}
      close(): void {}
    }
    relay.onRequest = (_, response) => startStream(response, resultsMessage(3));
    watch({ WebSocket: ForbiddenSocket as unknown as WatchPollOptions['WebSocket'] });
    await seen.version(3);
    expect(clock.now()).toBe(0);
    expect(seen.last).toEqual({ state: 'live', via: 'sse' });
  });

  it('is the first way where there is no WebSocket', async () => {
    relay.onRequest = (_, response) => startStream(response, hiddenMessage());
    watchWithoutSocket();
    await seen.state('hidden');
    expect(relay.requests).toEqual([`GET ${LIVE}`]);
  });

  it('comes back when the relay said, with the version it holds', async () => {
    relay.onRequest = (_, response) => {
      startStream(response, resultsMessage(3));
      response.end('retry: 1234\n\n');
    };
    watchWithoutSocket();
    await clock.asked(1_234);
    relay.onRequest = (_, response) => startStream(response, resultsMessage(4));
    clock.advance(1_234);
    await seen.version(4);
    expect(relay.requests.at(-1)).toBe(`GET ${LIVE}&since=3-digest`);
  });

  it('is refused with the reason that a WebSocket would be given', async () => {
    const issues = [{ path: 'hz', message: 'must be a whole number from 1 to 20' }];
    const error = { code: 'invalid_request', message: 'The request is not valid.', issues };
    relay.onRequest = (_, response) => sendJson(response, 400, { success: 0, error });
    watchWithoutSocket();
    await seen.state('refused');
    expect(seen.last).toMatchObject({ code: 4400, message: 'hz must be a whole number from 1 to 20.' });
  });

  it.each([
    [403, 'api_key_rejected', 4403],
    [404, 'poll_not_found', 4404],
    [400, 'invalid_request', 4400],
  ])('is refused by status %i', async (status, code, closeCode) => {
    relay.onRequest = (_, response) =>
      sendJson(response, status, { success: 0, error: { code, message: 'no' } });
    watchWithoutSocket();
    await seen.state('refused');
    expect(seen.last).toEqual({ state: 'refused', code: closeCode, error: code, message: 'no' });
    expect(relay.requests).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('is not refused by the 404 of something that is no relay', async () => {
    relay.onRequest = (request, response) =>
      request.url === LIVE
        ? response.writeHead(404).end('<html>')
        : sendJson(response, 200, resultsMessage(1));
    watchWithoutSocket();
    await seen.state('live');
    expect(seen.last).toEqual({ state: 'live', via: 'read' });
  });
});

describe('an address that is wrong', () => {
  it.each([
    ['answers 404 like any web server', 404, '<html>', 'status 404'],
    ['has nothing there, as a relay says it', 404, NO_ROUTE, 'status 404'],
    ['answers with a page of its own', 200, '<html>', 'what answers is no relay'],
    ['answers with JSON of its own', 200, '{"hello": 1}', 'what answers is no relay'],
    ['is a proxy without a relay', 502, 'bad gateway', 'status 502'],
  ])('is told after each failed round where it %s', async (_, status, body, reason) => {
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

  it('is told where nobody listens', async () => {
    watch({}, `http://127.0.0.1:1/api/poll/${POLL_ID}`);
    await seen.state('connecting');
    expect(seen.last).toEqual({ state: 'connecting', attempts: 1, reason: expect.stringMatching(/\w/) });
  });

  it('heals once a relay answers there', async () => {
    watch();
    await seen.state('connecting');
    relay.onSocket = socket => socket.send(JSON.stringify(resultsMessage(1)));
    clock.advance(clock.pauses.at(-1)!);
    await seen.state('live');
  });

  it.each([
    'localhost:8080/api/poll/abc',
    'ftp://relay.example/api/poll/abc',
    'https://relay.example/',
    'abc',
  ])('is refused at once where it can be none: %s', url => {
    expect(() => watch({}, url)).toThrow(TypeError);
  });
});

describe('by reading', () => {
  const onlyReads = (answer: () => [status: number, body: unknown]): void => {
    relay.onRequest = (request, response) => {
      if (request.url?.includes('/live')) response.writeHead(502).end();
      else sendJson(response, ...answer());
    };
  };

  it('is the last resort, and reads anew every few seconds', async () => {
    let version = 0;
    onlyReads(() => {
      version += 1;
      return [200, { ...resultsMessage(version), type: undefined }];
    });
    watch();
    await seen.version(1);
    expect(clock.now()).toBe(0);
    expect(seen.last).toEqual({ state: 'live', via: 'read' });
    for (const next of [2, 3]) {
      await clock.asked(3_000);
      clock.advance(3_000);
      await seen.version(next);
    }
  });

  it('goes on reading in peace, however short a heartbeat was asked for', async () => {
    let version = 0;
    onlyReads(() => {
      version += 1;
      return [200, resultsMessage(version)];
    });
    clock.chance = 0.999;
    watch({ heartbeat: 1 });
    for (const next of [1, 2, 3]) {
      await seen.version(next);
      await clock.asked(3_000 * 1.499);
      clock.advance(3_000 * 1.499);
    }
    await seen.version(4);
    expect(seen.states).toEqual([{ state: 'live', via: 'read' }]);
  });

  it.each([
    ['lets a cache answer', undefined, '?max_age=1'],
    ['asks the relay itself where it has a key, which no cache may see the use of', 'view_secret', ''],
  ])('%s', async (_, key, query) => {
    onlyReads(() => [200, resultsMessage(1)]);
    watch({ key });
    await seen.state('live');
    expect(relay.requests.at(-1)).toBe(`GET /api/poll/${POLL_ID}${query}`);
  });

  it('is final while the poll is closed', async () => {
    onlyReads(() => [200, { ...resultsMessage(1, { status: 'closed' }), type: undefined }]);
    watch();
    await seen.state('final');
    expect(seen.results[0]).toMatchObject({ type: 'results', final: true });
  });

  it('says hidden where a key is asked for', async () => {
    onlyReads(() => [401, { success: 0, error: { code: 'api_key_required', message: 'key' } }]);
    watch();
    await seen.state('hidden');
  });

  it('keeps the results while the relay fails, and heals', async () => {
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
