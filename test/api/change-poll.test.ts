import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, expectError, issuesOf, keyHeaders, send } from '../support/api-request.ts';
import { LiveClient } from '../support/live-client.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const FOREIGN_KEY = `admin_${'0'.repeat(43)}`;
const UNKNOWN = 'nobodyisHere';
const LATER = '2099-01-31T18:00:00.000Z';

describe('changing a poll', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY], corsOrigins: ['https://show.example'] });
  });
  afterAll(() => relay.close());

  const request = (method: string, path: string, body?: unknown, given?: string | Record<string, string>) =>
    send(`${relay.url}/api/poll/${path}`, method, body, given);
  const change = (id: string, poll: unknown, key?: string) => request('PATCH', id, { poll }, key);
  const watch = (id: string, key?: string) =>
    LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live${key === undefined ? '' : `?key=${key}`}`);
  const stored = async (id: string) => (await relay.engine.polls.find(id))?.results;

  describe('PATCH', () => {
    it('closes and opens, and the live stream shows it at once', async () => {
      const { id, admin_key } = await relay.create();
      await relay.cast(id, 0, 2);
      const live = await watch(id);
      await live.results(2);
      const closed = await change(id, { status: 'closed' }, admin_key);
      expect(closed.status).toBe(200);
      expect(closed.headers.get('cache-control')).toBe('no-store');
      expect(closed.json).toEqual({
        ...(await relay.read(id, { 'x-api-key': admin_key })),
        timestamp: expect.any(Number),
        ignored: [],
      });
      expect(closed.json).toMatchObject({ status: 'closed', total_votes: 2 });
      await live.message(message => message.type === 'results' && message.final === true);
      await expect(relay.cast(id)).rejects.toThrow('poll_closed');
      expect((await change(id, { status: 'open' }, admin_key)).json.status).toBe('open');
      await live.until(() => live.last?.type === 'results' && live.last.status === 'open', 'open again');
      await relay.cast(id);
      await live.results(3);
      live.close();
    });

    it('sets a deadline as a time or in seconds, and removes it', async () => {
      const { id, admin_key } = await relay.create();
      const live = await watch(id);
      const shown = (deadline: string | null) =>
        live.until(() => live.last?.type === 'results' && live.last.deadline === deadline, `${deadline}`);
      const set = await change(id, { deadline: '2099-01-31T19:00:00+01:00' }, admin_key);
      expect(set.json.deadline).toBe(LATER);
      await shown(LATER);
      const before = await relay.engine.polls.now();
      const { deadline } = (await change(id, { closes_in: 3600 }, admin_key)).json;
      const seconds = (Date.parse(deadline) - before) / 1000;
      expect(seconds).toBeGreaterThanOrEqual(3600);
      expect(seconds).toBeLessThan(3660);
      await shown(deadline);
      expect((await change(id, { deadline: null }, admin_key)).json.deadline).toBeNull();
      await shown(null);
      live.close();
    });

    it('repeated changes nothing', async () => {
      const { id, admin_key } = await relay.create();
      for (const poll of [
        { status: 'closed' },
        { status: 'open', deadline: LATER, results_visibility: 'after_deadline' },
        { deadline: null, results_visibility: 'always' },
      ]) {
        const first = await change(id, poll, admin_key);
        const second = await change(id, poll, admin_key);
        expect(second.json).toEqual({ ...first.json, timestamp: expect.any(Number) });
      }
      expect((await stored(id))?.version).toBe(4);
    });

    it('opens a poll whose deadline has passed only with a later one or none', async () => {
      const { id, admin_key } = await relay.create();
      const end = async () => {
        await relay.engine.polls.change(id, { deadlineMs: (await relay.engine.polls.now()) - 1 });
        expect((await stored(id))?.status).toBe('closed');
      };
      await end();
      expectError(await change(id, { status: 'open' }, admin_key), 409, 'deadline_passed');
      expect((await stored(id))?.status).toBe('closed');
      for (const poll of [
        { status: 'open', closes_in: 60 },
        { status: 'open', deadline: null },
      ]) {
        await end();
        expect((await change(id, poll, admin_key)).json.status).toBe('open');
      }
    });

    it.each([
      [{}, 'poll', 'must have one of title, description, answers, status'],
      [{ state: 'closed' }, 'poll', 'must have one of title'],
      [{ status: 'paused' }, 'poll.status', 'must be "open" or "closed"'],
      [{ status: 'upcoming' }, 'poll.status', 'must be "open" or "closed"'],
      [{ status: null }, 'poll.status', 'must be "open" or "closed"'],
      [{ results_visibility: 'sometimes' }, 'poll.results_visibility', 'must be "always"'],
      [{ deadline: '2001-01-01T00:00:00Z' }, 'poll.deadline', 'must be in the future'],
      [{ deadline: '2099-02-31T00:00:00Z' }, 'poll.deadline', 'must be a valid time'],
      [{ deadline: 7 }, 'poll.deadline', 'must be null or a time'],
      [{ closes_in: 4 }, 'poll.closes_in', 'must be at least 5 seconds'],
      [{ closes_in: '60' }, 'poll.closes_in', 'must be a number of seconds'],
      [{ closes_in: 60, deadline: LATER }, 'poll.closes_in', 'replaces deadline'],
      [[], 'poll', 'must be an object'],
    ])('rejects %j and changes nothing', async (poll, path, words) => {
      const { id, admin_key } = await relay.create();
      const reply = await change(id, poll, admin_key);
      expectError(reply, 400, 'invalid_request');
      expect(issuesOf(reply)[path]).toContain(words);
      expect((await stored(id))?.version).toBe(1);
    });

    it('rejects after_deadline without a deadline with 409, because only the poll decides', async () => {
      const { id, admin_key } = await relay.create();
      const conflict = await change(id, { results_visibility: 'after_deadline' }, admin_key);
      expectError(conflict, 409, 'deadline_missing');
      expect(Object.keys(issuesOf(conflict))).toEqual(['poll.results_visibility']);
      const unwrapped = await request('PATCH', id, { status: 'closed' }, admin_key);
      expect(issuesOf(unwrapped)['poll']).toContain('wrap it');
    });

    it('lists unknown members in `ignored`', async () => {
      const { id, admin_key } = await relay.create();
      const body = { poll: { status: 'closed', chat_words: true }, force: 1 };
      const reply = await request('PATCH', id, body, admin_key);
      expect([reply.status, reply.json.ignored]).toEqual([200, ['force', 'chat_words']]);
    });
  });

  describe('a new view key', () => {
    it('works at once, and ends the old one and its live streams', async () => {
      const { id, admin_key, view_key } = await relay.create({ results_visibility: 'hidden' });
      const [old, keyless] = [await watch(id, view_key), await watch(id)];
      await old.message(message => message.type === 'results');
      await keyless.message(message => message.type === 'hidden');
      const reply = await request('POST', `${id}/view_key`, undefined, admin_key);
      expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(reply.json).toEqual({
        success: 1,
        id,
        view_key: expect.stringMatching(/^view_[\w-]{43}$/),
      });
      expect((await old.end()).code).toBe(4403);
      expect(old.last).toMatchObject({ type: 'error', code: 'api_key_rejected' });
      await expect(relay.read(id, { 'x-api-key': view_key })).rejects.toThrow('403');
      expect((await relay.read(id, { 'x-api-key': reply.json.view_key })).id).toBe(id);
      const fresh = await watch(id, reply.json.view_key);
      await fresh.message(message => message.type === 'results');
      expect(keyless.closed).toBeUndefined();
      for (const live of [keyless, fresh]) live.close();
    });

    it('is created whatever the body is', async () => {
      const { id, admin_key } = await relay.create();
      const keys = new Set();
      for (const [type, body] of [
        ['application/json', ''],
        ['application/json', '{}'],
        ['application/x-www-form-urlencoded', ''],
        ['text/plain', 'pressed'],
      ] as const) {
        const headers = { 'x-api-key': admin_key, 'content-type': type };
        const reply = await ask(`${relay.url}/api/poll/${id}/view_key`, { method: 'POST', headers, body });
        expect(reply.status).toBe(200);
        keys.add(reply.json.view_key);
      }
      expect(keys.size).toBe(4);
    });
  });

  describe('a new admin key', () => {
    const renew = (id: string, key: string, once?: string) =>
      request('POST', `${id}/admin_key`, undefined, {
        'x-api-key': key,
        ...(once && { 'idempotency-key': once }),
      });

    it('works at once, and ends the old one and its live streams', async () => {
      const { id, admin_key, view_key } = await relay.create({ results_visibility: 'hidden' });
      const old = await LiveClient.open(`${relay.wsUrl}/api/live`);
      old.send({ type: 'subscribe', id, key: admin_key });
      const viewing = await watch(id, view_key);
      for (const live of [old, viewing]) await live.message(message => message.type === 'results');
      const reply = await renew(id, admin_key);
      expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
      const fresh = reply.json.admin_key;
      expect(fresh).toMatch(/^admin_[\w-]{43}$/);
      expect(reply.json).toEqual({
        success: 1,
        id,
        admin_key: fresh,
        links: { manage: expect.stringMatching(new RegExp(`/${id}/manage#key=${fresh}$`)) },
      });
      await old.message(message => message.type === 'error' && message.code === 'api_key_rejected');
      await relay.cast(id);
      await viewing.results(1);
      for (const live of [old, viewing]) live.close();
      expectError(await change(id, { status: 'closed' }, admin_key), 403, 'api_key_rejected');
      expectError(await renew(id, admin_key), 403, 'api_key_rejected');
      await expect(relay.read(id, { 'x-api-key': admin_key })).rejects.toThrow('403');
      expect((await change(id, { status: 'closed' }, fresh)).json.status).toBe('closed');
    });

    it('is returned again only under the same Idempotency-Key', async () => {
      const { id, admin_key } = await relay.create();
      const once = 'a-key-for-one-renewal';
      const first = await renew(id, admin_key, once);
      expect((await renew(id, admin_key, once)).json).toEqual(first.json);
      expectError(await renew(id, admin_key, 'another-key-of-theirs'), 403, 'api_key_rejected');
      expect((await change(id, { status: 'closed' }, first.json.admin_key)).status).toBe(200);
    });
  });

  describe('DELETE', () => {
    it('deletes the poll and closes its live streams', async () => {
      const { id, admin_key } = await relay.create({ co: true });
      await relay.cast(id, 0, 2);
      const live = await watch(id);
      await live.results(2);
      const reply = await request('DELETE', id, undefined, admin_key);
      expect([reply.status, reply.json]).toEqual([200, { success: 1, id }]);
      expect(reply.headers.get('cache-control')).toBe('no-store');
      expect((await live.end()).code).toBe(4410);
      expectError(await request('GET', id), 404, 'poll_not_found');
      expectError(await request('DELETE', id, undefined, admin_key), 404, 'poll_not_found');
    });
  });

  const EVERYTHING = [
    ['PATCH', '', { poll: { status: 'closed' } }],
    ['POST', '/view_key', undefined],
    ['POST', '/admin_key', undefined],
    ['DELETE', '', undefined],
  ] as const;

  describe.each(EVERYTHING)('%s /api/poll/<id>%s', (method, path, body) => {
    it('needs the admin key or an operator key, in any header', async () => {
      const { id, admin_key, view_key } = await relay.create();
      const other = await relay.create();
      expectError(await request(method, `${id}${path}`, body), 401, 'api_key_required');
      for (const wrong of [view_key, other.admin_key, FOREIGN_KEY, `${admin_key}x`])
        expectError(
          await request(method, `${id}${path}`, body, { 'x-api-key': wrong }),
          403,
          'api_key_rejected',
        );
      for (const inQuery of [admin_key, view_key, OPERATOR_KEY])
        expectError(await request(method, `${id}${path}?key=${inQuery}`, body), 403, 'api_key_rejected');
      expect(await stored(id)).toMatchObject({ version: 1, status: 'open' });
      for (const isOperator of [false, true])
        for (const at of [0, 1, 2]) {
          const target = await relay.create();
          const headers = keyHeaders(isOperator ? OPERATOR_KEY : target.admin_key)[at];
          expect((await request(method, `${target.id}${path}`, body, headers)).status).toBe(200);
        }
    });

    it('requires a key before it says that a poll does not exist', async () => {
      const { admin_key } = await relay.create();
      for (const id of [UNKNOWN, 'x', '%00', 'é'.repeat(12)]) {
        expectError(await request(method, `${id}${path}`, body), 401, 'api_key_required');
        const rejected = await request(method, `${id}${path}`, body, { 'x-api-key': 'no key of a relay' });
        expectError(rejected, 403, 'api_key_rejected');
        for (const key of [OPERATOR_KEY, admin_key])
          expectError(
            await request(method, `${id}${path}`, body, { 'x-api-key': key }),
            404,
            'poll_not_found',
          );
      }
    });

    it('rejects pages of foreign origins, with any key', async () => {
      const { id, admin_key } = await relay.create();
      const headers = { 'x-api-key': admin_key, origin: 'https://evil.example' };
      expectError(await request(method, `${id}${path}`, body, headers), 403, 'origin_rejected');
      expect((await stored(id))?.version).toBe(1);
      const friend = { 'x-api-key': admin_key, origin: 'https://show.example' };
      expect((await request(method, `${id}${path}`, body, friend)).status).toBe(200);
    });
  });
});
