import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiReply, ask, faultOfError, GOOD_POLL, post } from '../support/api-request.ts';
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

  it('replies with the id, both keys, the answers, what was ignored, and where everything is', async () => {
    const reply = await post(relay.url, { poll: GOOD_POLL });
    const { id, admin_key, view_key } = reply.json;
    expect(reply.status).toBe(201);
    expect(reply.headers.get('location')).toBe(`/api/poll/${id}`);
    expect(id).toMatch(/^[0-9A-Za-z]{12}$/);
    expect(new Set([admin_key, view_key]).size).toBe(2);
    expect(reply.json).toEqual({
      success: 1,
      id,
      content_id: id,
      admin_key: expect.stringMatching(/^admin_[\w-]{43}$/),
      view_key: expect.stringMatching(/^view_[\w-]{43}$/),
      poll_answers: [
        { id: expect.any(String), answer: 'Waterloo', sorting: 1, type: 'text' },
        { id: expect.any(String), answer: 'Volare', sorting: 2, type: 'text' },
      ],
      deadline: null,
      status: 'open',
      ignored: [],
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
  });

  it('keeps its keys out of every cache', async () => {
    const { headers } = await post(relay.url, { poll: GOOD_POLL });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('names the members that it does not know, beside the poll and inside it', async () => {
    const { status, json } = await post(relay.url, {
      poll: { ...GOOD_POLL, titel: 'x', dedline: 1 },
      pol: {},
    });
    expect(status).toBe(201);
    expect(json.ignored).toEqual(['pol', 'titel', 'dedline']);
  });

  it('takes a trailing slash', async () => {
    const init = { method: 'POST', body: JSON.stringify({ poll: GOOD_POLL }) };
    const { status, json } = await ask(`${relay.url}/api/poll/`, init);
    expect(status).toBe(201);
    expect((await ask(`${relay.url}/api/poll/${json.id}/`)).status).toBe(200);
  });

  it('takes JSON under any name that sloppy clients give it', async () => {
    const types = [
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      'text/plain;charset=UTF-8',
      'application/json; charset="utf-8"',
      'application/json;charset=utf8; profile=x',
    ];
    for (const type of types)
      expect((await post(relay.url, { poll: GOOD_POLL }, { 'content-type': type })).status).toBe(201);
  });

  it('takes JSON without a content type at all', async () => {
    const raw = await RawSocket.open(relay.url);
    const body = JSON.stringify({ poll: GOOD_POLL });
    raw.send(
      `POST /api/poll HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await until(() => raw.closed, 'the reply');
    expect(raw.text).toMatch(/^HTTP\/1\.1 201 /);
  });

  it.each([
    ['text in Latin-1', Buffer.from('{"poll":{"title":"Caf\xe9?","answers":["a","b"]}}', 'latin1')],
    ['text in UTF-16', Buffer.from(JSON.stringify({ poll: GOOD_POLL }), 'utf16le')],
    ['half a character', Buffer.concat([Buffer.from('{"poll":{"title":"'), Buffer.from([0xc3])])],
  ])('refuses %s as invalid_json, and stores none of it', async (_, body) => {
    const before = await relay.engine.polls.listPublic(1_000);
    const headers = { 'content-type': 'application/json' };
    const reply = await ask(`${relay.url}/api/poll`, { method: 'POST', headers, body });
    expect([reply.status, faultOfError(reply, 'invalid_json')]).toEqual([400, undefined]);
    expect(await relay.engine.polls.listPublic(1_000)).toEqual(before);
  });

  it.each([
    ['another charset', { 'content-type': 'application/json; charset=iso-8859-1' }, 'in UTF-8'],
    ['another charset in quotes', { 'content-type': 'text/plain; CharSet="UTF-16"' }, 'in UTF-8'],
    ['a compressed body', { 'content-encoding': 'gzip' }, 'uncompressed'],
    ['a body compressed twice', { 'content-encoding': 'identity, br' }, 'uncompressed'],
  ])('refuses %s as unsupported_media_type, and says what to send', async (_, headers, words) => {
    const reply = await post(relay.url, { poll: GOOD_POLL }, headers as Record<string, string>);
    expect([reply.status, faultOfError(reply, 'unsupported_media_type')]).toEqual([415, undefined]);
    expect(reply.json.error.message).toContain(words);
  });

  it('takes a byte order mark, and a body whose encoding is no encoding', async () => {
    const body = `\ufeff${JSON.stringify({ poll: GOOD_POLL })}`;
    expect((await post(relay.url, body, { 'content-encoding': 'Identity' })).status).toBe(201);
  });

  it('gives answers ids of their own, and counts their places from 1', async () => {
    const { json } = await post(relay.url, { poll: { ...GOOD_POLL, answers: ['a', 'b', 'c'] } });
    const { poll_answers } = await relay.read(json.id);
    expect(poll_answers.map(({ answer, sorting, type, votes }) => [answer, sorting, type, votes])).toEqual([
      ['a', 1, 'text', 0],
      ['b', 2, 'text', 0],
      ['c', 3, 'text', 0],
    ]);
    expect(new Set(poll_answers.map(({ id }) => id)).size).toBe(3);
  });

  it('stores no key: the engine holds only their digests', async () => {
    const { id, admin_key, view_key } = await relay.create();
    const stored = JSON.stringify(await relay.engine.polls.find(id));
    expect(stored).not.toContain(admin_key.slice(6));
    expect(stored).not.toContain(view_key.slice(5));
  });
});

describe('CREATE_REQUIRES_KEY', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({
      createRequiresKey: true,
      operatorKeys: [OPERATOR_KEY, 'another-operator-key'],
    });
  });
  afterAll(() => relay.close());

  const create = (headers: Record<string, string> = {}, path = '/api/poll'): Promise<ApiReply> =>
    ask(`${relay.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ poll: GOOD_POLL }),
    });

  it('refuses whoever shows no key, or not one of the operator, and creates nothing', async () => {
    const none = await create();
    expect([none.status, faultOfError(none, 'api_key_required')]).toEqual([401, undefined]);
    const wrong = await create({ 'x-api-key': 'operator-key-of-the-test' });
    expect([wrong.status, faultOfError(wrong, 'api_key_rejected')]).toEqual([403, undefined]);
    expect(await relay.engine.polls.listPublic(10)).toEqual([]);
  });

  it('takes each of the operator’s keys, whichever header carries it', async () => {
    for (const key of [OPERATOR_KEY, 'another-operator-key'])
      for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }, { 'api-key': key }])
        expect((await create(headers)).status).toBe(201);
  });

  it('takes no operator’s key from an address, where it would reach a log', async () => {
    expect((await create({}, `/api/poll?key=${OPERATOR_KEY}`)).status).toBe(403);
  });
});
