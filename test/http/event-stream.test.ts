import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EventStreams } from '../../src/http/event-stream.ts';
import { EventClient } from '../support/event-client.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { until } from '../support/until.ts';

const LIMIT = 20;
const REQUEST = 'GET /events HTTP/1.1\r\nHost: a.test\r\n\r\n';

let app: FastifyInstance;
let streams: EventStreams;
let url: string;
beforeEach(async () => {
  streams = new EventStreams(LIMIT);
  app = Fastify({ forceCloseConnections: true });
  app.get('/events', async (request, reply) => void streams.open(request, reply));
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => app.close());

describe('streams of events', () => {
  it('of one connection are one, however many requests it sends ahead, and none is left when it has gone', async () => {
    const raw = await RawSocket.open(url);
    raw.send(REQUEST.repeat(LIMIT));
    await until(() => raw.text.includes('retry:'), 'the stream');
    expect(streams.size).toBe(1);
    raw.close();
    await until(() => streams.size === 0, 'the end of the stream');
  });

  it('are as many of one address as the limit says, and again as many once these are gone', async () => {
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
});
