import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, expectError, issuesOf, send } from '../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const HEADERS = { 'x-api-key': OPERATOR_KEY };

describe('the list of polls', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY] });
  });
  afterAll(() => relay.close());
  const list = (query = '', headers: Record<string, string> = HEADERS) =>
    ask(`${relay.url}/api/poll${query}`, { headers });
  const idsIn = (reply: { json: { polls: { id: string }[] } }) => reply.json.polls.map(({ id }) => id);
  const change = (id: string, poll: object) =>
    send(`${relay.url}/api/poll/${id}`, 'PATCH', { poll }, OPERATOR_KEY);

  it('needs an operator’s key in a header', async () => {
    expectError(await list('', {}), 401, 'api_key_required');
    expectError(await list('', { 'x-api-key': 'wrong' }), 403, 'api_key_rejected');
    expectError(await list(`?key=${OPERATOR_KEY}`, {}), 403, 'api_key_rejected');
    const { admin_key } = await relay.create();
    expectError(await list('', { 'x-api-key': admin_key }), 403, 'api_key_rejected');
  });

  it('has private and hidden polls, newest first, page by page', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1)
      made.push(
        (await relay.create({ priv: n === 1, results_visibility: n === 2 ? 'hidden' : 'always' })).id,
      );
    const whole = await list('?limit=5');
    expect(idsIn(whole)).toEqual([...made].reverse());
    expect(whole.headers.get('cache-control')).toBe('private, no-store');
    const pages: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await list(`?limit=2${cursor && `&cursor=${cursor}`}`);
      pages.push(...idsIn(page));
      ({ cursor } = page.json);
    }
    expect(pages.slice(0, 5)).toEqual([...made].reverse());
    expect(new Set(pages).size).toBe(pages.length);
  });

  it('can be filtered by status and show', async () => {
    const show = await takeShow(relay);
    const created = await show.addPoll({ status: 'upcoming' });
    expect(idsIn(await list(`?show=${show.name}`))).toEqual([created.json.id]);
    expect((await list(`?show=${show.name}`)).json.polls[0]).toMatchObject({
      show: show.name,
      status: 'upcoming',
    });
    expect(idsIn(await list(`?show=${show.name}&status=open`))).toEqual([]);
    const closed = await relay.create();
    await change(closed.id, { status: 'closed' });
    expect(idsIn(await list('?status=closed'))).toContain(closed.id);
    expect(idsIn(await list('?status=open'))).not.toContain(closed.id);
    expect(idsIn(await list('?status=upcoming'))).toEqual([created.json.id]);
  });

  it('rejects an invalid query', async () => {
    const reply = await list('?limit=0&cursor=x&status=done&show=-');
    expectError(reply, 400, 'invalid_request');
    expect(Object.keys(issuesOf(reply))).toEqual(['limit', 'cursor', 'status', 'show']);
  });

  it('loses a deleted poll', async () => {
    const { id } = await relay.create();
    expect(idsIn(await list('?limit=1'))).toEqual([id]);
    await ask(`${relay.url}/api/poll/${id}`, { method: 'DELETE', headers: HEADERS });
    expect(idsIn(await list())).not.toContain(id);
  });

  it('has what was written, and so has the poll for a key that manages it', async () => {
    const written = {
      description: 'Line one\nLine two',
      ma: true,
      mip: true,
      co: true,
      priv: true,
      image: null,
    };
    const { id, admin_key, view_key } = await relay.create({
      ...written,
      description: 'Line one\r\nLine two',
    });
    const [listed] = (await list('?limit=1')).json.polls;
    expect(listed).toMatchObject({ id, ...written, enter_name: false, show: null });
    const read = (key?: string) =>
      ask(`${relay.url}/api/poll/${id}`, { headers: key === undefined ? {} : { 'x-api-key': key } });
    const managed = await read(admin_key);
    expect(managed.json).toMatchObject({ ...written, vpn: false, created_at: listed.created_at });
    expect(managed.headers.get('cache-control')).toBe('private, no-store');
    for (const reply of [await read(), await read(view_key)]) {
      expect(reply.json).toMatchObject({ description: 'Line one\nLine two', ma: true });
      expect(reply.json).not.toHaveProperty('priv');
    }
  });
});
