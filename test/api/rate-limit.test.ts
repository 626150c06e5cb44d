import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiReply, ask, expectError, GOOD_POLL, post, send } from '../support/api-request.ts';
import { heldClock } from '../support/held-clock.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

const ALLOWED = 3;
const OPERATOR_KEY = 'operator-key-of-the-tests';

describe('rate limits', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({
      createPerMinute: ALLOWED,
      maxConnectionsPerAddress: 1,
      trustProxy: ['127.0.0.1'],
      changesPerMinute: ALLOWED,
      operatorPerMinute: 2 * ALLOWED,
      operatorKeys: [OPERATOR_KEY],
      clock: heldClock(),
    });
  });
  afterAll(() => relay.close());

  const createFrom = (address: string, poll: object = GOOD_POLL, key?: string) =>
    post(relay.url, { poll }, { 'x-forwarded-for': address, ...(key !== undefined && { 'x-api-key': key }) });
  const changeFrom = (address: string, id: string, key: string) => {
    const headers = { 'x-forwarded-for': address, 'x-api-key': key };
    return send(`${relay.url}/api/poll/${id}`, 'PATCH', { poll: { results_visibility: 'always' } }, headers);
  };

  it('429 rate_limited: more polls in a minute than an address may create', async () => {
    for (let left = ALLOWED - 1; left >= 0; left -= 1) {
      const reply = await createFrom('192.0.2.1');
      expect(reply.status).toBe(201);
      expect(reply.headers.get('ratelimit-limit')).toBe(`${ALLOWED}`);
      expect(reply.headers.get('ratelimit-remaining')).toBe(`${left}`);
    }
    const refused = await createFrom('192.0.2.1');
    expectError(refused, 429, 'rate_limited');
    for (const header of ['retry-after', 'ratelimit-reset']) expect(refused.headers.get(header)).toBe('30');
    expect((await createFrom('192.0.2.2')).status).toBe(201);
  });

  it('tells by the newest draft, too, what is left of which policy', async () => {
    const headersOf = ({ headers }: ApiReply) => [headers.get('ratelimit-policy'), headers.get('ratelimit')];
    const created = await createFrom('192.0.2.10');
    expect(headersOf(created)).toEqual([`"create";q=${ALLOWED};w=60`, `"create";r=${ALLOWED - 1};t=30`]);
    const changed = await changeFrom('192.0.2.10', created.json.id, created.json.admin_key);
    expect(headersOf(changed)).toEqual([`"changes";q=${ALLOWED};w=60`, `"changes";r=${ALLOWED - 1};t=30`]);
    expect(headersOf(await ask(`${relay.url}/api/poll/${created.json.id}`))).toEqual([null, null]);
  });

  it('counts an operator by the key, wherever it comes from, and lets it do more', async () => {
    const created = await createFrom('192.0.2.11', GOOD_POLL, OPERATOR_KEY);
    expect(created.headers.get('ratelimit-policy')).toBe(`"operator";q=${2 * ALLOWED};w=60`);
    for (let n = 2; n <= 2 * ALLOWED; n += 1)
      expect((await changeFrom(`192.0.2.${n}`, created.json.id, OPERATOR_KEY)).status).toBe(200);
    const refused = await createFrom('192.0.2.12', GOOD_POLL, OPERATOR_KEY);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('30');
    expect((await createFrom('192.0.2.12')).status).toBe(201);
    expect((await createFrom('192.0.2.12', GOOD_POLL, 'no-key-of-anybody')).status).toBe(201);
  });

  it('never slows down a read', async () => {
    const { json } = await createFrom('192.0.2.3');
    for (let read = 0; read <= ALLOWED * 3; read += 1)
      expect((await ask(`${relay.url}/api/poll/${json.id}`)).status).toBe(200);
  });
});
