// @module-tag redis-server
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { RelayLink } from '../../src/client/relay-link.ts';
import { type WatchListener, watchPoll } from '../../src/client/watch-poll.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startRelayProcess } from '../support/relay-process.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { Recorder } from './recorder.ts';

const { start, relayOn, closeAfter } = redisRig();

type Follow = (url: string, id: string, listener: WatchListener) => { close(): void };

/** Every push transport. */
const follows: Readonly<Record<string, Follow>> = {
  'a WebSocket': (url, id, listener) => watchPoll(`${url}/api/poll/${id}`, { WebSocket, ...listener }),
  'Server-Sent Events': (url, id, listener) =>
    watchPoll(`${url}/api/poll/${id}`, { WebSocket: NoSocket, ...listener }),
  'the connection of many polls': (url, id, listener) =>
    new RelayLink(url, { WebSocket }).watch(id, listener),
};

/** As on a page whose policy forbids WebSockets. */
class NoSocket extends WebSocket {
  constructor() {
    super('no address');
  }
}

it('a frozen relay is detected within 10 s over every transport, and another one at its address takes over', async () => {
  const redis = await start();
  const frozen = await startRelayProcess(redis.url);
  closeAfter(() => frozen.stop());
  const other = await relayOn(redis.url);
  const balancer = await startTcpProxy(Number(new URL(frozen.url).port));
  closeAfter(() => balancer.close());
  const { id } = await other.create();
  const seen = Object.entries(follows).map(([transport, follow]) => {
    const recorder = new Recorder();
    const watch = follow(`http://127.0.0.1:${balancer.port}`, id, recorder);
    closeAfter(() => watch.close());
    return { transport, recorder };
  });
  await Promise.all(seen.map(({ recorder }) => recorder.state('live')));

  frozen.freeze();
  balancer.leadTo(Number(new URL(other.url).port));
  const sinceFrozen = new Stopwatch();
  await other.cast(id, 0, 7);
  const detected = await Promise.all(
    seen.map(async ({ transport, recorder }) => {
      await recorder.state('stale');
      return [transport, sinceFrozen.ms] as const;
    }),
  );
  await Promise.all(seen.map(({ recorder }) => recorder.state('live')));
  for (const [transport, ms] of detected) expect(ms, transport).toBeLessThan(10_000);
  for (const { recorder } of seen) {
    expect(recorder.states.map(({ state }) => state)).toEqual(['live', 'stale', 'live']);
    expect(recorder.results.at(-1)?.total_votes).toBe(7);
  }
});
