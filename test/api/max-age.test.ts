import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiReply, ask } from '../support/api-request.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { type CreatedPoll, startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

const FORMATS = ['', '&format=rows', '&format=csv', '&format=xml', '&format=text'];

describe('results that may be old', () => {
  let relay: TestRelay;
  let inner: TestRelay;
  let engine: EngineDouble;
  let open: CreatedPoll;
  let hidden: CreatedPoll;
  beforeAll(async () => {
    inner = await startTestRelay();
    engine = new EngineDouble(inner.engine);
    relay = await startTestRelay({ engine: engine.engine });
    open = await relay.create();
    hidden = await relay.create({ results_visibility: 'hidden' });
    await relay.cast(hidden.id, 0, 3);
  });
  afterAll(async () => {
    await relay.close();
    await inner.close();
  });

  const read = (id: string, query: string, headers: Record<string, string> = {}): Promise<ApiReply> =>
    ask(`${relay.url}/api/poll/${id}?${query}`, { headers });

  it('may be kept for as long as the reader says, in every format, also where nothing has changed', async () => {
    for (const format of FORMATS)
      for (const age of [1, 5, 60]) {
        const reply = await read(open.id, `max_age=${age}${format}`);
        const expected = `public, max-age=${age}, stale-while-revalidate=${age}`;
        expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, expected]);
        const etag = reply.headers.get('etag') ?? '';
        const again = await read(open.id, `max_age=${age}${format}`, { 'if-none-match': etag });
        expect([again.status, again.headers.get('cache-control')]).toEqual([304, expected]);
        expect(again.headers.get('etag')).toBe(etag);
      }
    expect((await read(open.id, '')).headers.get('cache-control')).toBe('no-cache');
  });

  it('rejects an invalid age', async () => {
    const message = 'must be a whole number of seconds from 1 to 60';
    for (const query of ['0', '61', '100', '-1', '1.5', '', 'x', '05', '1e1', ' 5', '5&max_age=5']) {
      const { status, json, headers } = await read(open.id, `max_age=${query}`);
      expect([query, status, json.error.code]).toEqual([query, 400, 'invalid_request']);
      expect(json.error.issues).toEqual([{ path: 'max_age', message }]);
      expect(headers.get('cache-control')).toBe('no-store');
    }
    const both = await read(open.id, 'max_age=0&format=pdf');
    expect(both.json.error.issues.map(({ path }: { path: string }) => path)).toEqual(['format', 'max_age']);
  });

  it('are the same for every origin and encoding, so that a cache needs one copy', async () => {
    const heads = [
      '',
      'Origin: https://a.example\r\n',
      'Origin: https://b.example\r\nAccept-Encoding: gzip, br\r\n',
    ];
    const replies = await Promise.all(heads.map(head => raw(open.id, 'max_age=60', head)));
    expect(replies[0]).toMatch(/\r\naccess-control-allow-origin: \*\r\n/);
    expect(replies[0]).not.toMatch(/\r\n(vary|set-cookie|age):/i);
    for (const reply of replies) expect(reply).toBe(replies[0]);
  });

  it('are never more than what a key or a hidden poll is answered without an age, byte for byte', async () => {
    const keys = [hidden.view_key, hidden.admin_key, 'wrong'];
    const heads = [
      '',
      ...keys.flatMap(key => [`X-API-Key: ${key}`, `API-KEY: ${key}`, `Authorization: Bearer ${key}`]),
      'Authorization: Basic YTpi',
    ];
    const cases = [
      ...heads.map(head => [hidden.id, head, ''] as const),
      ...heads.slice(1).map(head => [open.id, head, ''] as const),
      ...[hidden.id, open.id].flatMap(id =>
        [`&key=${hidden.view_key}`, '&key=wrong', '&key=', '&key=a&key=b'].map(key => [id, '', key] as const),
      ),
      ['nobodyisHere', '', ''] as const,
    ];
    for (const [id, head, key] of cases)
      for (const format of FORMATS) {
        const line = head && `${head}\r\n`;
        const [plain, aged] = await Promise.all([
          raw(id, `${key}${format}`, line),
          raw(id, `max_age=60${key}${format}`, line),
        ]);
        expect(aged).toBe(plain);
        expect(aged).toMatch(/cache-control: (no-cache|(private, )?no-store)\r\n/);
      }
  });

  it('cost the engine one read a second, however many ask, and are not older', async () => {
    const { id } = await relay.create();
    const before = engine.reads;
    const startedMs = performance.now();
    while (performance.now() - startedMs < 2_200) {
      await inner.cast(id);
      await Promise.all(Array.from({ length: 20 }, () => read(id, 'max_age=60')));
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    expect(engine.reads - before).toBeLessThanOrEqual(Math.ceil(seconds));
    const { total_votes } = await relay.read(id);
    await until(async () => (await read(id, 'max_age=60')).json.total_votes === total_votes, 'the newest');
  });

  it('are revealed at once: of what was hidden nothing is kept', async () => {
    const { id } = await relay.create({ results_visibility: 'hidden' });
    expect((await read(id, 'max_age=60')).status).toBe(401);
    await relay.engine.polls.change(id, { resultsVisibility: 'always' });
    expect((await read(id, 'max_age=60')).status).toBe(200);
  });

  it('do not keep the failure of an engine', async () => {
    const { id } = await relay.create();
    engine.lose();
    expect((await read(id, 'max_age=60')).status).toBe(503);
    engine.giveBack();
    expect((await read(id, 'max_age=60')).status).toBe(200);
  });

  /** @returns all bytes of the reply but the date and the moment of the read */
  async function raw(id: string, query: string, head: string): Promise<string> {
    const socket = await RawSocket.open(relay.url);
    socket.send(
      `GET /api/poll/${id}?${query} HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\r\nConnection: close\r\n${head}\r\n`,
    );
    await until(() => socket.closed, 'the reply');
    return socket.text.replace(/\r\ndate: [^\r]+/i, '').replace(/\b\d{10}\b/g, '<now>');
  }
});
