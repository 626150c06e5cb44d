import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EventStream, EventStreams } from '../../src/http/event-stream.ts';
import { EventClient } from '../support/event-client.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { until } from '../support/until.ts';

const LIMIT = 20;
const HEARTBEAT_MS = 3_000;
const HEARTBEAT = 'event: heartbeat\ndata: {"type":"heartbeat"}\n\n';
const STUCK_MS = 21_000;
const REQUEST = 'GET /events HTTP/1.1\r\nHost: a.test\r\n\r\n';

let app: FastifyInstance;
let streams: EventStreams;
let url: string;
let begins: () => Promise<void>;
let opens: (stream: EventStream) => void;
let refuses: (error: unknown) => void;
const sockets: Socket[] = [];
beforeEach(async () => {
  streams = new EventStreams(LIMIT);
  app = Fastify({ forceCloseConnections: true });
  app.get('/events', async (request, reply) => {
    await begins();
    opens(streams.open(request, reply));
  });
  app.addHook('onError', async (_request, _reply, error) => refuses(error));
  app.server.on('connection', socket => sockets.push(socket));
  begins = async () => {};
  opens = () => {};
  refuses = () => {};
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  vi.useRealTimers();
  sockets.splice(0);
  await app.close();
});

describe('event streams of pages', () => {
  it('open once for a connection that pipelines requests, and close with it', async () => {
    const raw = await RawSocket.open(url);
    raw.send(REQUEST.repeat(LIMIT));
    await until(() => raw.text.includes('retry:'), 'the stream');
    expect(streams.size).toBe(1);
    raw.close();
    await until(() => streams.size === 0, 'the end of the stream');
  });

  it('do not open for a client that has left before, and count none', async () => {
    let error: unknown;
    let left = () => {};
    app.server.once('connection', socket => socket.once('close', () => left()));
    const client = await RawSocket.open(url);
    begins = async () => {
      client.close();
      await new Promise<void>(resolve => {
        left = resolve;
      });
    };
    refuses = thrown => {
      error = thrown;
    };
    client.send(REQUEST);
    await until(() => error !== undefined, 'a refusal');
    expect(error).toMatchObject({ code: 'invalid_request' });
    expect(streams.size).toBe(0);
  });

  it('are limited for each address, and closed streams no longer count', async () => {
    for (let round = 0; round < 2; round += 1) {
      const clients = await Promise.all(
        Array.from({ length: LIMIT }, () => EventClient.open(`${url}/events`)),
      );
      await until(() => streams.size === LIMIT, 'all streams');
      const refused = await fetch(`${url}/events`);
      expect([refused.status, streams.size]).toEqual([429, LIMIT]);
      for (const client of clients) client.close();
      await until(() => streams.size === 0, 'the end of all streams');
    }
  });

  it('close for a client that has not read for 20 s, and for no other', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const opened: EventStream[] = [];
    opens = stream => void opened.push(stream);
    const stuck = await RawSocket.open(url);
    stuck.stopReading();
    const accepted = sockets.at(-1) as Socket;
    stuck.send(REQUEST);
    await until(() => opened.length === 1, 'the stream');
    const reader = await EventClient.open(`${url}/events`);
    const [stream] = opened as [EventStream];
    while (accepted.writableLength === 0) {
      stream.send('x'.repeat(20_000));
      await new Promise(setImmediate);
    }
    vi.advanceTimersByTime(HEARTBEAT_MS);
    await until(() => reader.text.endsWith(HEARTBEAT), 'a heartbeat');
    for (let beats = 2; beats * HEARTBEAT_MS <= STUCK_MS; beats += 1) {
      vi.advanceTimersByTime(HEARTBEAT_MS);
      await until(() => reader.text.endsWith(HEARTBEAT.repeat(beats)), 'another heartbeat');
      expect(streams.size).toBe(2);
    }
    vi.advanceTimersByTime(HEARTBEAT_MS);
    await until(() => streams.size === 1, 'the end of the one');
    expect(reader.ended).toBe(false);
    stuck.close();
    reader.close();
  });
});
