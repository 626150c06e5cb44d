import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, expectError, GOOD_POLL, issuesOf, post } from '../support/api-request.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { LiveClient } from '../support/live-client.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { type CreatedPoll, startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

const UNKNOWN = 'nobodyisHere';

/** The rows of the contract's table of errors; 500 is in own-faults.test.ts. */
describe('errors', () => {
  let relay: TestRelay;
  let hidden: CreatedPoll;
  beforeAll(async () => {
    relay = await startTestRelay({ lacksSignIn: true });
    hidden = await relay.create({ results_visibility: 'hidden' });
  });
  afterAll(() => relay.close());

  const read = (path: string, headers: Record<string, string> = {}) => ask(relay.url + path, { headers });

  it.each([
    ['', 'The body is empty: send JSON.'],
    [' \n', 'The body is empty: send JSON.'],
    ['{"poll": {\n  "title": "a, }",\n}}', 'there is an extra comma in line 2, column 18'],
    ['{"poll":{"answers":["x","y",]}}', 'there is an extra comma in line 1, column 28'],
    ['poll=1', 'check in line 1, column 1'],
    ["{'poll':{}}", 'check in line 1, column 2'],
    ['{"poll":\n nope}', 'check in line 2, column 2'],
    ['{"poll":{}}}', 'check in line 1, column 12'],
    ['{"poll":{"title":"a"', 'its end is missing'],
    ['{"poll":{"title":"a" "answers":[]}}', 'check in line 1, column 22'],
    ['{"poll":{"__proto__":{}}}', 'has a member called __proto__'],
    ['{"constructor":{"prototype":{}}}', 'or prototype in constructor'],
  ])('400 invalid_json: %j, with the place of the fault', async (body, message) => {
    const reply = await post(relay.url, body);
    expectError(reply, 400, 'invalid_json');
    expect(reply.json.error.message).toContain(message);
  });

  it('400 invalid_request: a body with faults, each with its path', async () => {
    const reply = await post(relay.url, { poll: { title: '', answers: ['one', 2], co: 'yes' } });
    expectError(reply, 400, 'invalid_request');
    expect(Object.keys(issuesOf(reply)).sort()).toEqual(['poll.answers.1', 'poll.co', 'poll.title']);
    const signIn = await post(relay.url, { poll: { ...GOOD_POLL, only_reg: true } });
    expect(issuesOf(signIn)).toEqual({ 'poll.only_reg': expect.stringContaining('sign-in') });
  });

  it('400 invalid_request: an invalid query', async () => {
    const { id } = await relay.create();
    for (const path of [`/api/poll/${id}?format=pdf`, `/api/poll/${id}/live?hz=0`, '/api/live'])
      expectError(await read(path), 400, 'invalid_request');
    for (const name of ['key', 'since', 'hz', 'heartbeat'])
      expect(issuesOf(await read(`/api/poll/${id}/live?${name}=1&${name}=2`))).toEqual({
        [name]: expect.stringMatching(/^must be/),
      });
  });

  it('400 invalid_request: bytes that are not HTTP', async () => {
    const raw = await RawSocket.open(relay.url);
    raw.send('\u0016\u0003\u0001 hello\r\n\r\n');
    await until(() => raw.closed, 'the relay to hang up');
    expect(raw.text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(raw.text.split('\r\n\r\n')[1] ?? '').error.code).toBe('invalid_request');
  });

  it('401 api_key_required: hidden results without a key', async () => {
    const reply = await read(`/api/poll/${hidden.id}`);
    expectError(reply, 401, 'api_key_required');
    expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it('403 api_key_rejected: hidden results with a wrong key', async () => {
    const headers = { 'x-api-key': `view_${'0'.repeat(43)}` };
    for (const path of ['', '/live'])
      expectError(await read(`/api/poll/${hidden.id}${path}`, headers), 403, 'api_key_rejected');
  });

  it('403 api_key_rejected: an admin key in a URL, with what to do instead', async () => {
    const query = `?key=${hidden.admin_key}`;
    const words = expect.stringContaining('in the X-API-Key header');
    for (const path of ['', '/live']) {
      const reply = await read(`/api/poll/${hidden.id}${path}${query}`);
      expectError(reply, 403, 'api_key_rejected');
      expect(reply.json.error.message).toEqual(words);
    }
    const live = await LiveClient.open(`${relay.wsUrl}/api/poll/${hidden.id}/live${query}`);
    await live.end();
    expect(live.last).toMatchObject({ message: words });
    live.close();
  });

  it('404 poll_not_found: an unknown or invalid id', async () => {
    for (const id of [UNKNOWN, 'x', '..%2f..%2fetc', 'a'.repeat(90), '%00', 'é'.repeat(12)])
      for (const path of ['', '/live'])
        expectError(await read(`/api/poll/${id}${path}`), 404, 'poll_not_found');
  });

  it('404 route_not_found: an unknown URL, whatever is sent', async () => {
    for (const path of ['/api/polls', `/api/poll/${UNKNOWN}/votes`])
      expectError(await read(path), 404, 'route_not_found');
    const body = { method: 'POST', headers: { 'content-type': 'text/xml' }, body: '<vote/>' };
    expectError(await ask(`${relay.url}/api/poll/${UNKNOWN}/vote`, body), 404, 'route_not_found');
  });

  it.each([
    ['/api/polls', 404, 'route_not_found'],
    ['/api/poll/%c0%', 400, 'invalid_request'],
    ['/api/poll/%E0%A4%A', 400, 'invalid_request'],
  ] as const)('pages of every site can read the error of %s', async (path, status, code) => {
    const reply = await read(path, { origin: 'https://show.example' });
    expectError(reply, status, code);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['PUT', () => '/api/poll', 'GET, HEAD, POST'],
    ['QUERY', () => '/api/poll', 'GET, HEAD, POST'],
    ['PUT', () => `/api/poll/${hidden.id}`, 'GET, HEAD, PATCH, DELETE'],
    ['POST', () => `/api/poll/${hidden.id}`, 'GET, HEAD, PATCH, DELETE'],
    ['QUERY', () => `/api/poll/${hidden.id}`, 'GET, HEAD, PATCH, DELETE'],
    ['GET', () => `/api/poll/${hidden.id}/view_key`, 'POST'],
    ['PUT', () => `/api/poll/${hidden.id}/live`, 'GET'],
    ['POST', () => '/api/live', 'GET'],
  ])('405 method_not_allowed with Allow, whatever the body: %s %s', async (method, path, allow) => {
    const body = method === 'GET' ? {} : { body: '{broken', headers: { 'content-type': 'application/json' } };
    const reply = await ask(relay.url + path(), { method, ...body });
    expectError(reply, 405, 'method_not_allowed');
    expect(new Set(reply.headers.get('allow')?.split(', '))).toEqual(new Set(allow.split(', ')));
  });

  it('413 body_too_large: more than 128 KiB', async () => {
    const fits = { poll: { ...GOOD_POLL, note: 'x'.repeat(128 * 1024 - 200) } };
    expect((await post(relay.url, fits)).status).toBe(201);
    expectError(await post(relay.url, 'x'.repeat(128 * 1024 + 1)), 413, 'body_too_large');
  });

  it.each([
    ...['text/xml', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense'].map(
      type => [{ 'content-type': type }, 'application/json'] as const,
    ),
    [{ 'content-type': 'application/json; charset=iso-8859-1' }, 'in UTF-8'],
    [{ 'content-type': 'text/plain; CharSet="UTF-16"' }, 'in UTF-8'],
    [{ 'content-encoding': 'gzip' }, 'uncompressed'],
    [{ 'content-encoding': 'identity, br' }, 'uncompressed'],
  ] as const)('415 unsupported_media_type: %j, with what to send', async (headers, words) => {
    const reply = await post(relay.url, { poll: GOOD_POLL }, headers as Record<string, string>);
    expectError(reply, 415, 'unsupported_media_type');
    expect(reply.json.error.message).toContain(words);
  });

  it('503 engine_unavailable: with Retry-After', async () => {
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
