// @module-tag redis-server
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { connectionsOfEach } from '../../src/start/preflight.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { redisRig } from '../support/redis-rig.ts';
import { until } from '../support/until.ts';
import { startProgram } from './program.ts';

const OPEN_FILES = 128;
const VISITORS = 300;
const START_MS = 150_000;

const { start, clientOf } = redisRig();

it('a relay without free connections reconnects to its engine', {
  timeout: START_MS,
}, async () => {
  const redis = await start();
  const relay = await startProgram({ ROLE: 'relay', REDIS_URL: redis.url }, { openFiles: OPEN_FILES });
  await relay.running();
  // On a connection of its own each time: even a full house answers.
  const ready = async () => {
    const asking = await RawSocket.open(relay.url);
    asking.send('GET /readyz HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n');
    await until(() => asking.closed, 'an answer');
    return asking.text.startsWith('HTTP/1.1 200 ');
  };
  await until(ready, 'the relay');
  const crowd = new Crowd(relay.url);
  onTestFinished(() => crowd.leave());
  // Rejected clients reconnect at once, so that no descriptor stays free.
  await until(() => crowd.rejected > VISITORS, 'a full house');
  const killer = clientOf(redis);
  for (const type of ['normal', 'pubsub']) await killer.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
  const rejected = crowd.rejected;
  await until(() => crowd.rejected > rejected + VISITORS, 'the crowd to have tried again');
  await until(ready, 'the engine');
});

it('the servers of a process share its connections, and leave descriptors for the engine', () => {
  expect([connectionsOfEach(1, 1_024), connectionsOfEach(2, 1_024)]).toEqual([984, 492]);
  expect(connectionsOfEach(2, Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
});

/** More clients than connections, each holding one until it is closed as idle. */
class Crowd {
  rejected = 0;
  readonly #sockets = new Set<Socket>();
  #isLeaving = false;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    const open = () => {
      const socket = connect(Number(port), hostname);
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        this.rejected += 1;
        if (!this.#isLeaving) setTimeout(open, 20);
      });
    };
    for (let visitor = 0; visitor < VISITORS; visitor += 1) open();
  }

  leave(): void {
    this.#isLeaving = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}
