import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, expectError, GOOD_POLL, keyHeaders, post } from '../support/api-request.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';

describe('creating a poll', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay();
  });
  afterAll(() => relay.close());

  it('replies with id, keys, answers and links, and no cache may keep it', async () => {
    const reply = await post(relay.url, { poll: GOOD_POLL });
    const { id, admin_key, view_key } = reply.json;
    expect(reply.status).toBe(201);
    expect(reply.headers.get('location')).toBe(`/api/poll/${id}`);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(id).toMatch(/^[0-9A-Za-z]{12}$/);
    expect(reply.json).toEqual({
      success: 1,
      id,
      content_id: id,
      deadline: null,
      status: 'open',
      ignored: [],
      admin_key: expect.stringMatching(/^admin_[\w-]{43}$/),
      view_key: expect.stringMatching(/^view_[\w-]{43}$/),
      poll_answers: [
        { id: expect.any(String), answer: 'Waterloo', sorting: 1, type: 'text' },
        { id: expect.any(String), answer: 'Volare', sorting: 2, type: 'text' },
      ],
      links: {
        results: `http://relay.test/api/poll/${id}`,
        live: `ws://relay.test/api/poll/${id}/live`,
        overlay: `http://relay.test/overlay/${id}`,
        vote: `http://vote.test/${id}`,
        manage: `http://vote.test/${id}/manage#key=${admin_key}`,
        qr: `http://relay.test/api/poll/${id}/qr.svg`,
      },
    });
    const { poll_answers } = await relay.read(id);
    expect(poll_answers).toEqual(reply.json.poll_answers.map((answer: object) => ({ ...answer, votes: 0 })));
    const stored = JSON.stringify(await relay.engine.polls.find(id));
    expect(stored).not.toContain(admin_key.slice(6));
    expect(stored).not.toContain(view_key.slice(5));
  });

  it('lists unknown members in `ignored`', async () => {
    const poll = { ...GOOD_POLL, titel: 'x', dedline: 1 };
    const { status, json } = await post(relay.url, { poll, pol: {} });
    expect([status, json.ignored]).toEqual([201, ['pol', 'titel', 'dedline']]);
  });

  it('accepts a trailing slash', async () => {
    const init = { method: 'POST', body: JSON.stringify({ poll: GOOD_POLL }) };
    const { status, json } = await ask(`${relay.url}/api/poll/`, init);
    expect(status).toBe(201);
    expect((await ask(`${relay.url}/api/poll/${json.id}/`)).status).toBe(200);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json;charset=utf8; profile=x',
  ])('accepts JSON as %s', async type => {
    expect((await post(relay.url, { poll: GOOD_POLL }, { 'content-type': type })).status).toBe(201);
  });

  it('accepts JSON without a content type, with a byte order mark, and with the encoding identity', async () => {
    const raw = await RawSocket.open(relay.url);
    const body = JSON.stringify({ poll: GOOD_POLL });
    raw.send(
      `POST /api/poll HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await until(() => raw.closed, 'the reply');
    expect(raw.text).toMatch(/^HTTP\/1\.1 201 /);
    expect((await post(relay.url, `\ufeff${body}`, { 'content-encoding': 'Identity' })).status).toBe(201);
  });

  it.each([
    ['Latin-1', Buffer.from('{"poll":{"title":"Caf\xe9?","answers":["a","b"]}}', 'latin1')],
    ['UTF-16', Buffer.from(JSON.stringify({ poll: GOOD_POLL }), 'utf16le')],
    ['half a character', Buffer.concat([Buffer.from('{"poll":{"title":"'), Buffer.from([0xc3])])],
  ])('rejects %s as invalid_json and stores nothing', async (_, body) => {
    const before = await relay.engine.polls.listPublic(1_000);
    const headers = { 'content-type': 'application/json' };
    expectError(await ask(`${relay.url}/api/poll`, { method: 'POST', headers, body }), 400, 'invalid_json');
    expect(await relay.engine.polls.listPublic(1_000)).toEqual(before);
  });
});

describe('CREATE_REQUIRES_KEY', () => {
  const keys = [OPERATOR_KEY, 'another-operator-key'];
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({ createRequiresKey: true, operatorKeys: keys });
  });
  afterAll(() => relay.close());

  const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(relay.url + path, { method: 'POST', headers, body: JSON.stringify(body) });

  it.each([
    ['a poll', '/api/poll', () => ({ poll: GOOD_POLL })],
    ['a show', '/api/show', (at: number) => ({ show: { name: `evening-${at}` } })],
  ])('%s needs an operator key in any header, but not in the URL', async (_, path, body) => {
    const before = await relay.engine.polls.listPublic(10);
    expectError(await send(path, body(0)), 401, 'api_key_required');
    for (const wrong of [OPERATOR_KEY.slice(0, -1), `show_${'0'.repeat(43)}`])
      expectError(await send(path, body(0), { 'x-api-key': wrong }), 403, 'api_key_rejected');
    expectError(await send(`${path}?key=${OPERATOR_KEY}`, body(0)), 403, 'api_key_rejected');
    expect(await relay.engine.polls.listPublic(10)).toEqual(before);
    for (const [at, headers] of keys.flatMap(keyHeaders).entries())
      expect((await send(path, body(at), headers)).status).toBe(201);
  });
});
