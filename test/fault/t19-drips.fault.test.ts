// @module-tag redis-server
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../start/program.ts';
import { redisRig } from '../support/redis-rig.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import { createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { measured, size } from './plan.ts';

const DRIPS = size(250, 500);
const SLOW_READERS = size(100, 200);
const DRIP_EVERY_MS = 1_000;
/** What the relay gives headers and a whole request, and how often it looks. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 15_000;
const LOOK_MS = 2_000;
const SLACK_MS = 3_000;
const P99_MS = 200;
const ASK_EVERY_MS = 20;
/** Results of some 26 KB, asked for again and again, so that they fill what the kernel keeps for a slow reader. */
const FAT = Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(190)}`);
const ASKS = 100;
const SIP_BYTES = 4_096;

const { start, closeAfter } = redisRig();

/** Says a head at once, and then a drop now and again, until it is hung up on. */
class Drip {
  endedAfterMs: number | undefined;
  readonly socket: Socket;

  constructor(url: string, head: string, drop: string) {
    const { hostname, port } = new URL(url);
    const since = new Stopwatch();
    this.socket = connect(Number(port), hostname);
    this.socket.write(head);
    const timer = setInterval(() => this.socket.write(drop), DRIP_EVERY_MS);
    this.socket.on('error', () => {}).resume();
    this.socket.on('close', () => {
      clearInterval(timer);
      this.endedAfterMs = since.ms;
    });
    closeAfter(() => this.socket.destroy());
  }
}

describe('T19 a crowd that drips', () => {
  it('T19: is closed in time, and no other client waits for it', { timeout: 120_000 }, async () => {
    const redis = await start();
    const relay = await startProgram({ ROLE: 'relay', REDIS_URL: redis.url });
    await relay.running();
    const { id } = await createPoll(relay.url);
    const { id: fat } = await createPoll(relay.url, { answers: FAT });
    const post = 'POST /api/poll HTTP/1.1\r\nHost: a.test\r\n';
    const body = `${post}Content-Type: application/json\r\nContent-Length: 90000\r\n\r\n`;
    const headers = Array.from({ length: DRIPS }, () => new Drip(relay.url, post, 'X-Drip: 1\r\n'));
    const bodies = Array.from({ length: DRIPS }, () => new Drip(relay.url, body, ' '));
    const ask = `GET /api/poll/${fat} HTTP/1.1\r\nHost: a.test\r\n\r\n`.repeat(ASKS);
    const readers = Array.from({ length: SLOW_READERS }, () => sip(relay.url, ask));

    const latencies: number[] = [];
    const statuses = new Set<number>();
    while (![...headers, ...bodies].every(({ endedAfterMs }) => endedAfterMs !== undefined)) {
      const since = new Stopwatch(relay.child.pid, redis.process.pid);
      const response = await fetch(`${relay.url}/api/poll/${id}`);
      await response.text();
      latencies.push(since.ms);
      statuses.add(response.status);
      await new Promise(done => setTimeout(done, ASK_EVERY_MS));
      expect(latencies.length * ASK_EVERY_MS).toBeLessThan(60_000);
    }
    const p99Ms = latencies.sort((a, b) => a - b)[Math.floor(latencies.length * 0.99)] as number;
    const last = (drips: Drip[]) => Math.max(...drips.map(({ endedAfterMs = 0 }) => endedAfterMs));
    const [headersMs, bodiesMs] = [last(headers), last(bodies)];
    for (const reader of readers) reader.destroy();
    measured(
      'T19',
      `${DRIPS} header drips gone after ${(headersMs / 1_000).toFixed(1)} s, ${DRIPS} body drips after ${(bodiesMs / 1_000).toFixed(1)} s, beside ${SLOW_READERS} slow readers; others: p99 ${p99Ms.toFixed(0)} ms of ${latencies.length} reads`,
    );
    expect([...statuses]).toEqual([200]);
    expect(headersMs).toBeLessThan(HEADERS_MS + LOOK_MS + SLACK_MS);
    expect(bodiesMs).toBeLessThan(REQUEST_MS + LOOK_MS + SLACK_MS);
    expect(p99Ms).toBeLessThan(P99_MS);
    await until(async () => (await fetch(`${relay.url}/readyz`)).ok, 'the relay to be well');
  });
});

/** Asks for far more than it takes: a sip a second. */
function sip(url: string, asked: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, highWaterMark: SIP_BYTES } as never);
  socket.on('error', () => {});
  socket.write(asked);
  const timer = setInterval(() => socket.read(SIP_BYTES), DRIP_EVERY_MS);
  socket.on('close', () => clearInterval(timer));
  closeAfter(() => socket.destroy());
  return socket;
}
