import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, expectError, keyHeaders, send } from '../support/api-request.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';

const FOREIGN_KEY = `view_${'0'.repeat(43)}`;

describe('methods and lengths', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay();
  });
  afterAll(() => relay.close());
  const heads = async (lines: string) => {
    const raw = await RawSocket.open(relay.url);
    raw.send(`${lines}\r\nHost: a\r\nConnection: close\r\n\r\n`);
    await until(() => raw.closed, 'the reply');
    return raw.text;
  };

  it('names the methods of a URL in replies to OPTIONS and to methods of other protocols', async () => {
    const { id } = await relay.create();
    const options = await ask(`${relay.url}/api/poll/${id}`, { method: 'OPTIONS' });
    expect(options.headers.get('allow')).toBe('GET, HEAD, PATCH, DELETE, OPTIONS');
    for (const method of ['PROPFIND', 'LOCK'])
      expect(await heads(`${method} /api/poll/${id}?a=b HTTP/1.1`)).toMatch(
        /^HTTP\/1.1 405 [\s\S]*allow: GET, HEAD, PATCH, DELETE\r\n/,
      );
    expect(await heads('PROPFIND /api/nothing HTTP/1.1')).toMatch(/^HTTP\/1.1 404 /);
  });

  it('tells a long URL from long headers', async () => {
    expect(await heads(`GET /${'a'.repeat(9_000)} HTTP/1.1`)).toMatch(/^HTTP\/1.1 414 [\s\S]*"url_too_long"/);
    const long = `GET / HTTP/1.1\r\nX-Long: ${'a'.repeat(9_000)}`;
    expect(await heads(long)).toMatch(/^HTTP\/1.1 431 [\s\S]*"headers_too_large"/);
    expect(await heads(`GET /livez HTTP/1.1${'\r\nX-Many: a'.repeat(70)}`)).toMatch(/^HTTP\/1.1 431 /);
  });
});

describe('the definition of a poll', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay();
  });
  afterAll(() => relay.close());

  const get = (path: string, headers: Record<string, string> = {}) =>
    ask(`${relay.url}/api/poll/${path}`, { headers });
  const change = (id: string, key: string, poll: object, headers: Record<string, string> = {}) =>
    send(`${relay.url}/api/poll/${id}`, 'PATCH', { poll }, { 'x-api-key': key, ...headers });

  it('has what a front end needs, without a key and a count, also while results are hidden', async () => {
    const flags = { co: true, ma: true, enter_name: true, only_reg: true, vpn: true, verifiable: false };
    const { id } = await relay.create({ ...flags, description: 'Why?', results_visibility: 'hidden' });
    const { status, json, headers } = await get(`${id}/definition`);
    const { poll } = (await relay.engine.polls.find(id))!;
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(json).toEqual({
      id,
      title: 'Which song next?',
      success: 1,
      status: 'open',
      deadline: null,
      results_visibility: 'hidden',
      description: 'Why?',
      ...flags,
      change_vote: false,
      chat_words: false,
      min_choices: 1,
      max_choices: 2,
      answer_order: 'given',
      image: null,
      poll_answers: poll.answers.map((answer, index) => ({
        id: answer.id,
        answer: answer.text,
        sorting: index + 1,
        type: 'text',
      })),
    });
    expectError(await get('nobodyisHere/definition'), 404, 'poll_not_found');
  });

  it('has an ETag that no ballot changes, and caches like the results', async () => {
    const { id, admin_key } = await relay.create({ mip: true });
    const before = await get(`${id}/definition`);
    const etag = before.headers.get('etag')!;
    await relay.cast(id, 0, 2);
    const after = await get(`${id}/definition`, { 'if-none-match': etag });
    expect([after.status, after.headers.get('etag')]).toEqual([304, etag]);
    await change(id, admin_key, { title: 'Which one?' });
    expect((await get(`${id}/definition`, { 'if-none-match': etag })).status).toBe(200);
    const aged = await get(`${id}/definition?max_age=5`);
    expect(aged.headers.get('cache-control')).toBe('public, max-age=5, stale-while-revalidate=5');
  });

  it('has no total either, where viewers see it while results are hidden', async () => {
    const hidden = { mip: true, results_visibility: 'hidden', show_total_while_hidden: true };
    const { id, admin_key } = await relay.create(hidden);
    const before = await get(`${id}/definition`);
    await relay.cast(id, 0, 2);
    const after = await get(`${id}/definition`);
    expect(after.json).toEqual(before.json);
    expect(after.json).not.toHaveProperty('total_votes');
    const match = { 'if-match': before.headers.get('etag')! };
    expect((await change(id, admin_key, { status: 'closed' }, match)).status).toBe(200);
  });

  it('decides with If-Match whether a poll is changed', async () => {
    const { id, admin_key } = await relay.create();
    const etag = (await get(`${id}/definition`)).headers.get('etag')!;
    const results = (await get(id)).headers.get('etag')!;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*', results])
      expect((await change(id, admin_key, { status: 'open' }, { 'if-match': known })).status).toBe(200);
    await relay.cast(id);
    const closed = await change(id, admin_key, { status: 'closed' }, { 'if-match': etag });
    expect(closed.json.status).toBe('closed');
    for (const [method, path] of [
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/view_key'],
      ['POST', '/admin_key'],
      ['POST', '/copy'],
      ['POST', '/void'],
    ] as const) {
      const body =
        path === '/void' ? { void: { network: 'q8Zx0hYl3TnAa1Bc' } } : { poll: { status: 'open' } };
      const headers = { 'x-api-key': admin_key, 'if-match': etag };
      const late = await send(`${relay.url}/api/poll/${id}${path}`, method, body, headers);
      expectError(late, 412, 'precondition_failed');
      expect(late.headers.get('etag')).toBe(closed.headers.get('etag'));
    }
    expect((await relay.read(id)).status).toBe('closed');
  });

  it('decides with If-Match whether a show is changed', async () => {
    const show = await takeShow(relay);
    const etag = (await show.get()).headers.get('etag')!;
    expect((await show.patch({ title: 'One' }, { 'if-match': etag })).status).toBe(200);
    const now = (await show.get()).headers.get('etag');
    for (const late of [
      await show.patch({ title: 'Two' }, { 'if-match': etag }),
      await show.press('clear', {}, { 'if-match': etag }),
      await show.addPoll({}, { 'if-match': etag }),
    ]) {
      expectError(late, 412, 'precondition_failed');
      expect(late.headers.get('etag')).toBe(now);
    }
  });

  it('does not depend on a key, but public results reject a wrong one, as the live stream does', async () => {
    const { id, view_key, admin_key } = await relay.create();
    const others = [
      ...keyHeaders(FOREIGN_KEY).map(headers => get(id, headers)),
      get(`${id}?key=${admin_key}`),
    ];
    for (const reply of await Promise.all(others)) expectError(reply, 403, 'api_key_rejected');
    expectError(await get(`${id}/picture.png?key=${FOREIGN_KEY}`), 403, 'api_key_rejected');
    expect((await get(`${id}?key=${view_key}`)).status).toBe(200);
    expect((await get(`${id}/definition`, { 'x-api-key': FOREIGN_KEY })).status).toBe(200);
  });
});
