import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/poll/poll-error.ts';
import { type ApiReply, ask, faultOfError, GOOD_POLL, post } from '../support/api-request.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { type CreatedPoll, startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

const NOBODY = 'nobodyisHere';

/** Every row of the contract's table of errors, with the request that provokes it. */
describe('errors', () => {
  let relay: TestRelay;
  let hidden: CreatedPoll;
  beforeAll(async () => {
    relay = await startTestRelay();
    hidden = await relay.create({ results_visibility: 'hidden' });
  });
  afterAll(() => relay.close());

  const expectError = (reply: ApiReply, status: number, code: ErrorCode) => {
    expect(faultOfError(reply, code)).toBeUndefined();
    expect(reply.status).toBe(status);
    expect(reply.headers.get('cache-control')).toBe('no-store');
  };

  it('400 invalid_json: a body that is no JSON', async () => {
    for (const body of ['{', '', '{"poll":', 'poll=1', '{"poll":{"__proto__":{"a":1}}}'])
      expectError(await post(relay.url, body), 400, 'invalid_json');
  });

  it('400 invalid_request: a body that breaks the rules, each fault with its path', async () => {
    const reply = await post(relay.url, { poll: { title: '', answers: ['one', 2], co: 'yes' } });
    expectError(reply, 400, 'invalid_request');
    const paths = reply.json.error.issues.map((issue: { path: string }) => issue.path);
    expect(paths.sort()).toEqual(['poll.answers.1', 'poll.co', 'poll.title']);
  });

  it('400 invalid_request: a query that nobody can answer', async () => {
    const { id } = await relay.create();
    expectError(await ask(`${relay.url}/api/poll/${id}?format=pdf`), 400, 'invalid_request');
    expectError(await ask(`${relay.url}/api/poll/${id}/live?hz=0`), 400, 'invalid_request');
    expectError(await ask(`${relay.url}/api/live`), 400, 'invalid_request');
  });

  it('400 invalid_request: an address that cannot be decoded', async () => {
    expectError(await ask(`${relay.url}/api/poll/%E0%A4%A`), 400, 'invalid_request');
  });

  it('400 invalid_request: bytes that are no HTTP', async () => {
    for (const bytes of [
      '\u0016\u0003\u0001 hello\r\n\r\n',
      `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    ]) {
      const raw = await RawSocket.open(relay.url);
      raw.send(bytes);
      await until(() => raw.closed, 'the relay to hang up');
      expect(raw.text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(JSON.parse(raw.text.split('\r\n\r\n')[1] ?? '').error.code).toBe('invalid_request');
    }
  });

  it('401 api_key_required: hidden results without a key', async () => {
    const reply = await ask(`${relay.url}/api/poll/${hidden.id}`);
    expectError(reply, 401, 'api_key_required');
    expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it('403 api_key_rejected: hidden results with a wrong key, live or not', async () => {
    const headers = { 'x-api-key': `view_${'0'.repeat(43)}` };
    expectError(await ask(`${relay.url}/api/poll/${hidden.id}`, { headers }), 403, 'api_key_rejected');
    expectError(await ask(`${relay.url}/api/poll/${hidden.id}/live`, { headers }), 403, 'api_key_rejected');
  });

  it('404 poll_not_found: an id that nobody was given, or that is none', async () => {
    for (const id of [NOBODY, 'x', '..%2f..%2fetc', 'a'.repeat(90), '%00', 'é'.repeat(12)]) {
      expectError(await ask(`${relay.url}/api/poll/${id}`), 404, 'poll_not_found');
      expectError(await ask(`${relay.url}/api/poll/${id}/live`), 404, 'poll_not_found');
    }
  });

  it('404 route_not_found: an address where nothing is, whatever is sent to it', async () => {
    expectError(await ask(`${relay.url}/api/polls`), 404, 'route_not_found');
    expectError(await ask(`${relay.url}/api/poll/${NOBODY}/votes`), 404, 'route_not_found');
    const body = { method: 'POST', headers: { 'content-type': 'text/xml' }, body: '<vote/>' };
    expectError(await ask(`${relay.url}/api/poll/${NOBODY}/vote`, body), 404, 'route_not_found');
  });

  it('404 and the 400 of a malformed address can be read by pages of every site', async () => {
    for (const [path, status, code] of [
      ['/api/polls', 404, 'route_not_found'],
      ['/api/poll/%c0%', 400, 'invalid_request'],
    ] as const) {
      const reply = await ask(relay.url + path, { headers: { origin: 'https://show.example' } });
      expectError(reply, status, code);
      expect([path, reply.headers.get('access-control-allow-origin')]).toEqual([path, '*']);
      expect([path, reply.headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
    }
  });

  it('405 method_not_allowed: another method, with Allow, whatever is sent along', async () => {
    const tries = [
      ['GET', '/api/poll', 'POST'],
      ['PUT', `/api/poll/${hidden.id}`, 'GET, HEAD, PATCH, DELETE'],
      ['POST', `/api/poll/${hidden.id}`, 'GET, HEAD, PATCH, DELETE'],
      ['GET', `/api/poll/${hidden.id}/view_key`, 'POST'],
      ['PUT', `/api/poll/${hidden.id}/live`, 'GET'],
      ['POST', '/api/live', 'GET'],
      ['QUERY', `/api/poll/${hidden.id}`, 'GET, HEAD, PATCH, DELETE'],
      ['QUERY', '/api/poll', 'POST'],
    ] as const;
    for (const [method, path, allow] of tries) {
      const body =
        method === 'GET' ? {} : { body: '{broken', headers: { 'content-type': 'application/json' } };
      const reply = await ask(`${relay.url}${path}`, { method, ...body });
      expectError(reply, 405, 'method_not_allowed');
      expect(new Set(reply.headers.get('allow')?.split(', '))).toEqual(new Set(allow.split(', ')));
    }
  });

  it('413 body_too_large: more than 128 KiB, announced or not', async () => {
    const fits = { poll: { ...GOOD_POLL, note: 'x'.repeat(128 * 1024 - 200) } };
    expect((await post(relay.url, fits)).status).toBe(201);
    expectError(await post(relay.url, 'x'.repeat(128 * 1024 + 1)), 413, 'body_too_large');
  });

  it('415 unsupported_media_type: a body of another kind', async () => {
    for (const type of ['text/xml', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense']) {
      const reply = await post(relay.url, { poll: GOOD_POLL }, { 'content-type': type });
      expectError(reply, 415, 'unsupported_media_type');
    }
  });

  it('500 internal_error: a fault of ours is told without a word about it', async () => {
    const faulty = await startTestRelay();
    faulty.engine.polls.find = async () => {
      throw new TypeError('secret detail');
    };
    const reply = await ask(`${faulty.url}/api/poll/${NOBODY}`);
    await faulty.close();
    expectError(reply, 500, 'internal_error');
    expect(reply.text).not.toContain('secret');
  });

  it('503 engine_unavailable: nothing can be asked, with Retry-After', async () => {
    const faulty = new EngineDouble(relay.engine);
    const cut = await startTestRelay({ engine: faulty.engine });
    faulty.lose();
    const replies = [
      await ask(`${cut.url}/api/poll/${hidden.id}`),
      await ask(`${cut.url}/api/poll/${hidden.id}/live`),
      await post(cut.url, { poll: GOOD_POLL }),
    ];
    await cut.close();
    for (const reply of replies) {
      expectError(reply, 503, 'engine_unavailable');
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });
});
