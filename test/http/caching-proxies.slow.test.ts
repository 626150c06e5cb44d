// @module-tag nginx
// @module-tag varnishd
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNginx } from '../support/nginx.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { startVarnish } from '../support/varnish.ts';

const READERS = 50;
const READS = 3_000;
/** For so long at least, so that what is kept is renewed. */
const READING_MS = 5_000;
const AGE_S = 2;
const AGED = `max_age=${AGE_S}`;
const FORMATS = ['', '&format=rows', '&format=csv', '&format=text'];
/** Where Varnish is not there it is installed first. */
const START_MS = 300_000;

interface Proxy {
  readonly url: string;
  stop(): Promise<void>;
}

const shippedNginx = (relay: string) => startNginx({ relays: [relay] });

describe.each([
  ['the shipped nginx', shippedNginx],
  ['a Varnish as it comes', startVarnish],
])('behind %s', (_, start) => {
  let relay: TestRelay;
  let proxy: Proxy;
  const agent = new Agent({ keepAlive: true, maxSockets: READERS });
  /** What reached the relay, by path and query. */
  let reached: string[];
  beforeAll(async () => {
    relay = await startTestRelay();
    relay.app.server.on('request', ({ url = '' }) => reached.push(url));
    reached = [];
    proxy = await start(new URL(relay.url).host);
  }, START_MS);
  afterAll(async () => {
    agent.destroy();
    await proxy?.stop();
    await relay.close();
  });

  interface Reply {
    readonly status: number;
    readonly text: string;
  }
  const read = (id: string, query: string, headers: Record<string, string> = {}): Promise<Reply> =>
    new Promise((done, fail) => {
      const sent = request(`${proxy.url}/api/poll/${id}?${query}`, { agent, headers }, response => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => done({ status: response.statusCode ?? 0, text }));
      });
      sent.on('error', fail).end();
    });
  const reachedBy = (id: string) => reached.filter(url => url.startsWith(`/api/poll/${id}?`)).length;
  const isOld =
    (total: number) =>
    ({ text }: Reply) =>
      !text.includes(`"total_votes":${total},`);

  it('thousands of readers cost the relay one read per max_age, and see every vote', async () => {
    const { id } = await relay.create();
    const startedMs = performance.now();
    const seconds = () => (performance.now() - startedMs) / 1_000;
    await read(id, AGED);
    let replies = 0;
    const readOn = async () => {
      for (; replies < READS || seconds() * 1_000 < READING_MS; replies += 1)
        expect((await read(id, AGED)).status).toBe(200);
    };
    await Promise.all(Array.from({ length: READERS }, readOn));
    expect(reachedBy(id)).toBeGreaterThan(1);
    expect(reachedBy(id)).toBeLessThanOrEqual(1 + Math.ceil(seconds() / AGE_S));
    await relay.cast(id, 0, 7);
    await until(async () => !isOld(7)(await read(id, AGED)), 'the newest');
  });

  it('a read without max_age is never cached', async () => {
    const { id } = await relay.create();
    for (let total = 1; total <= 5; total += 1) {
      await relay.cast(id);
      const replies = await Promise.all(Array.from({ length: READERS }, () => read(id, 'a=1')));
      expect(replies.filter(isOld(total))).toEqual([]);
    }
  });

  it('neither hidden results nor replies to a key are cached', async () => {
    const { id, view_key, admin_key } = await relay.create({ results_visibility: 'hidden' });
    await relay.cast(id, 1, 4);
    const asked = [
      {},
      { 'x-api-key': view_key },
      {},
      { 'api-key': admin_key },
      { authorization: `Bearer ${view_key}` },
      { 'x-api-key': 'wrong' },
      {},
    ] as Record<string, string>[];
    const statuses = [401, 200, 401, 200, 200, 403, 401];
    for (const format of FORMATS) {
      const before = reachedBy(id);
      // In sequence and in parallel: a request that waits for the same address must not get another one's reply.
      for (const [index, headers] of asked.entries())
        expect((await read(id, AGED + format, headers)).status).toBe(statuses[index]);
      const together = await Promise.all(
        Array.from({ length: READERS }, (_, index) => read(id, AGED + format, asked[index % asked.length])),
      );
      for (const [index, { status, text }] of together.entries()) {
        expect(status).toBe(statuses[index % asked.length]);
        expect(status === 200 || text.startsWith('{"success":0,"error":')).toBe(true);
      }
      expect(reachedBy(id) - before).toBe(asked.length + READERS);
    }
    expect((await read(id, `${AGED}&key=${view_key}`)).status).toBe(200);
    expect((await read(id, AGED)).status).toBe(401);
  });

  it('a reveal is visible at once, and hiding after max_age', async () => {
    const { id, view_key } = await relay.create({ results_visibility: 'hidden' });
    expect((await read(id, AGED)).status).toBe(401);
    await relay.engine.polls.change(id, { resultsVisibility: 'always' });
    expect((await read(id, AGED)).status).toBe(200);
    await relay.engine.polls.change(id, { resultsVisibility: 'hidden' });
    await until(async () => (await read(id, AGED)).status === 401, 'the end of what was kept');
    expect((await read(id, AGED, { 'x-api-key': view_key })).status).toBe(200);
    expect((await read(id, AGED)).status).toBe(401);
  });

  it('an error reply is never cached', async () => {
    const { id } = await relay.create();
    for (const query of ['max_age=0', 'max_age=61', 'max_age=1&max_age=1', 'max_age=1&format=pdf']) {
      const before = reachedBy(id);
      for (let time = 0; time < 2; time += 1) expect((await read(id, query)).status).toBe(400);
      expect(reachedBy(id) - before).toBe(2);
    }
  });
});
