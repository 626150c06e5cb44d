import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, faultOfError, GOOD_POLL, post } from '../support/api-request.ts';
import { EventClient } from '../support/event-client.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

const ALLOWED = 3;

describe('rate limits', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({
      createPerMinute: ALLOWED,
      maxConnectionsPerAddress: 1,
      trustProxy: ['127.0.0.1'],
    });
  });
  afterAll(() => relay.close());

  const createFrom = (address: string, poll: object = GOOD_POLL) =>
    post(relay.url, { poll }, { 'x-forwarded-for': address });

  it('429 rate_limited: more polls in a minute than an address may create', async () => {
    for (let left = ALLOWED - 1; left >= 0; left -= 1) {
      const reply = await createFrom('192.0.2.1');
      expect(reply.status).toBe(201);
      expect(reply.headers.get('ratelimit-limit')).toBe(`${ALLOWED}`);
      expect(reply.headers.get('ratelimit-remaining')).toBe(`${left}`);
    }
    const refused = await createFrom('192.0.2.1');
    expect(refused.status).toBe(429);
    expect(faultOfError(refused, 'rate_limited')).toBeUndefined();
    for (const header of ['retry-after', 'ratelimit-reset']) {
      const seconds = Number(refused.headers.get(header));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
    }
    expect((await createFrom('192.0.2.2')).status).toBe(201);
  });

  it('counts an IPv6 network of 64 bits as one address', async () => {
    for (let host = 1; host <= ALLOWED; host += 1)
      expect((await createFrom(`2001:db8:1:1::${host}`)).status).toBe(201);
    expect((await createFrom('2001:db8:1:1::ffff')).status).toBe(429);
    expect((await createFrom('2001:db8:1:2::1')).status).toBe(201);
  });

  it('never slows down a read', async () => {
    const { json } = await createFrom('192.0.2.3');
    for (let read = 0; read <= ALLOWED * 3; read += 1)
      expect((await ask(`${relay.url}/api/poll/${json.id}`)).status).toBe(200);
  });

  it('429 rate_limited: more streams than an address may hold open', async () => {
    const { json } = await createFrom('192.0.2.4');
    const first = await EventClient.open(`${relay.url}/api/poll/${json.id}/live`);
    const refused = await ask(`${relay.url}/api/poll/${json.id}/live`);
    first.close();
    expect(refused.status).toBe(429);
    expect(faultOfError(refused, 'rate_limited')).toBeUndefined();
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-limit')).toBe('1');
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  });
});
