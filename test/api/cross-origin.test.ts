import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, expectError, GOOD_POLL, post } from '../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

const FRIEND = 'https://show.example';
const STRANGERS = ['https://evil.example', 'http://show.example', 'https://show.example:8443', 'null'];
const TYPES = ['application/json', 'text/plain', 'text/plain;charset=UTF-8'];

describe('pages of other sites', () => {
  let relay: TestRelay;
  let openRelay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({ corsOrigins: [FRIEND] });
    openRelay = await startTestRelay();
  });
  afterAll(() => Promise.all([relay.close(), openRelay.close()]));

  const create = (origin: string, type = 'application/json', url = relay.url) =>
    post(url, { poll: GOOD_POLL }, { origin, 'content-type': type });
  const preflight = (origin: string, method = 'POST', url = relay.url) =>
    ask(`${url}/api/poll`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,idempotency-key',
      },
    });

  it.each(TYPES)('create with %s if their origin is in CORS_ORIGINS', async type => {
    const reply = await create(FRIEND, type);
    expect(reply.status).toBe(201);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  });

  it.each(STRANGERS)(
    'of %s, which is not in CORS_ORIGINS, create nothing, with any content type',
    async origin => {
      const before = await relay.engine.polls.listPublic(1_000);
      for (const type of TYPES) {
        const reply = await create(origin, type);
        expectError(reply, 403, 'origin_rejected');
        expect(reply.json.error.message).toContain('CORS_ORIGINS');
        expect(reply.headers.get('access-control-allow-origin')).toBe('*');
      }
      expect(await relay.engine.polls.listPublic(1_000)).toEqual(before);
    },
  );

  it('get a preflight reply that says whether they can write', async () => {
    const allowed = await preflight(FRIEND);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('*');
    for (const method of ['POST', 'PATCH', 'DELETE'])
      expect(allowed.headers.get('access-control-allow-methods')).toContain(method);
    for (const header of ['Content-Type', 'Idempotency-Key', 'Request-Expires', 'X-API-Key'])
      expect(allowed.headers.get('access-control-allow-headers')).toContain(header);
    for (const origin of STRANGERS)
      for (const method of ['POST', 'PATCH', 'DELETE'])
        expect((await preflight(origin, method)).status).toBe(403);
  });

  it('can read the location and the limits', async () => {
    const exposed = (await create(FRIEND)).headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining(['Location', 'ETag', 'Retry-After', 'RateLimit-Remaining']),
    );
  });

  it('of every origin create without CORS_ORIGINS', async () => {
    for (const origin of STRANGERS) {
      expect((await create(origin, 'text/plain', openRelay.url)).status).toBe(201);
      expect((await preflight(origin, 'POST', openRelay.url)).status).toBe(204);
    }
  });

  it('exclude clients without an origin and the relay’s own pages', async () => {
    expect((await post(relay.url, { poll: GOOD_POLL })).status).toBe(201);
    expect((await create('http://relay.test')).status).toBe(201);
  });
});
