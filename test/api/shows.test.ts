import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, expectError, keyHeaders, send } from '../support/api-request.ts';
import { heldClock } from '../support/held-clock.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const FOREIGN_KEY = `show_${'0'.repeat(43)}`;
const PLAIN = { look: null, logo: null, ground: null, delay: 0 };
let names = 0;

function freshName(): string {
  names += 1;
  return `friday-night-${names}`;
}

describe('shows', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY] });
  });
  afterAll(() => relay.close());

  const request = (method: string, path: string, show?: unknown, given?: string | Record<string, string>) =>
    send(`${relay.url}/api/show${path}`, method, show === undefined ? undefined : { show }, given);
  const take = (show: unknown, headers?: Record<string, string>) => request('POST', '', show, headers);
  const read = (name: string) => request('GET', `/${name}`);
  const change = (name: string, show: unknown, key?: string) => request('PATCH', `/${name}`, show, key);
  const remove = (name: string, key?: string) => request('DELETE', `/${name}`, undefined, key);
  const taken = async (title?: string): Promise<{ name: string; key: string }> => {
    const name = freshName();
    const reply = await take({ name, title });
    expect(reply.status).toBe(201);
    return { name, key: reply.json.show_key };
  };

  describe('creating a show', () => {
    it('replies with its key and links', async () => {
      const name = freshName();
      const reply = await take({ name, title: '  Friday night ' });
      expect([reply.status, reply.headers.get('location')]).toEqual([201, `/api/show/${name}`]);
      expect(reply.headers.get('cache-control')).toBe('no-store');
      const { show_key, view_key } = reply.json;
      expect(reply.json).toEqual({
        success: 1,
        name,
        title: 'Friday night',
        on_air: null,
        show_key: expect.stringMatching(/^show_[\w-]{43}$/),
        view_key: expect.stringMatching(/^show_view_[\w-]{43}$/),
        ignored: [],
        links: {
          overlay: `http://relay.test/overlay/show/${name}`,
          vote: `http://vote.test/show/${name}`,
          desk: `http://vote.test/desk/${name}#key=${show_key}`,
          presenter: `http://relay.test/overlay/show/${name}?style=host#key=${view_key}`,
          live: `ws://relay.test/api/show/${name}/live`,
          qr: `http://relay.test/api/show/${name}/qr.svg`,
        },
      });
      expect((await read(name)).text).not.toContain('key');
      const stored = await relay.engine.records.find(`show:${name}`);
      for (const key of [show_key.slice(5), view_key.slice(10)]) expect(stored).not.toContain(key);
    });

    it('rejects a name that is taken, and does not change that show', async () => {
      const { name, key } = await taken('First');
      expectError(await take({ name, title: 'Second' }), 409, 'show_name_taken');
      expect((await read(name)).json.title).toBe('First');
      expect((await change(name, { title: 'Mine' }, key)).status).toBe(200);
    });

    it.each(['abc', 'a-1', '2030', 'x'.repeat(40), 'a--'])('takes %s', async name => {
      expect((await take({ name })).status).toBe(201);
    });

    it.each([
      '',
      'ab',
      'x'.repeat(41),
      'Friday',
      'a_b',
      'a b',
      '-abc',
      'ünd',
      'a/b',
      'abc\n',
      7,
      null,
      ['abc'],
      'new',
      'none',
      'null',
      'next',
      'create',
      'undefined',
    ])('refuses the name %j', async name => {
      const reply = await take({ name });
      expectError(reply, 400, 'invalid_request');
      expect(reply.json.error.issues[0].path).toBe('show.name');
    });

    it('rejects an invalid title, and a body without a name or wrapper', async () => {
      for (const title of ['x'.repeat(301), 'a\u0007b', 7]) {
        const { json } = await take({ name: freshName(), title });
        expect(json.error.issues[0].path).toBe('show.title');
      }
      expect((await take({})).json.error.issues).toEqual([{ path: 'show.name', message: 'is required' }]);
      const unwrapped = await ask(`${relay.url}/api/show`, { method: 'POST', body: '{"name":"abc"}' });
      expect(unwrapped.json.error.issues[0].message).toContain('wrap it, as in {"show": {...}}');
    });

    it('lists unknown members in `ignored`', async () => {
      const { json } = await take({ name: freshName(), titel: 'x', rundown: [] });
      expect(json.ignored).toEqual(['titel', 'rundown']);
    });

    it('is safe to repeat with an Idempotency-Key, which a rejected request does not use up', async () => {
      const headers = { 'idempotency-key': 'idempotency-key-of-a-show' };
      const { name } = await taken();
      expectError(await take({ name }, headers), 409, 'show_name_taken');
      const free = { name: freshName() };
      const [first, second] = [await take(free, headers), await take(free, headers)];
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.json).toEqual(first.json);
      expectError(await take({ name: freshName() }, headers), 409, 'idempotency_key_reused');
    });
  });

  describe('changing what is on air', () => {
    it('needs the key of the show or an operator key, in any header', async () => {
      const { name, key } = await taken();
      const other = await taken();
      const { id, admin_key } = await relay.create();
      expectError(await change(name, { on_air: id }), 401, 'api_key_required');
      for (const wrong of [admin_key, other.key, FOREIGN_KEY, `${key}x`])
        expectError(await change(name, { on_air: id }, wrong), 403, 'api_key_rejected');
      for (const inQuery of [key, OPERATOR_KEY])
        expectError(
          await request('PATCH', `/${name}?key=${inQuery}`, { on_air: id }),
          403,
          'api_key_rejected',
        );
      expect((await read(name)).json.on_air).toBeNull();
      for (const right of [key, OPERATOR_KEY])
        for (const headers of keyHeaders(right)) {
          await change(name, { on_air: null }, key);
          const reply = await request('PATCH', `/${name}`, { on_air: id }, headers);
          expect([reply.status, reply.json.on_air]).toEqual([200, id]);
        }
    });

    it('replies with the show, and changes only what is sent', async () => {
      const { name, key } = await taken('Friday');
      const { id } = await relay.create();
      const first = await change(name, { on_air: id, rundown: [id], titel: 'x' }, key);
      const whole = { success: 1, name, title: 'Friday', on_air: id, rundown: [id], own: [], version: 2 };
      expect(first.json).toMatchObject({
        ...whole,
        ...PLAIN,
        place: id,
        final_two: false,
        close_before_next: false,
        chat: [],
        undo: { press: 'take', poll: id, on_air: null },
        ignored: ['titel'],
      });
      expect((await change(name, { title: 'Late' }, key)).json).toMatchObject({ title: 'Late', on_air: id });
      expect((await change(name, { on_air: null }, key)).json).toMatchObject({ title: 'Late', on_air: null });
      const { headers, json } = await read(name);
      expect(json).toEqual({ success: 1, name, title: 'Late', on_air: null, ...PLAIN });
      expect(headers.get('cache-control')).toBe('no-cache');
    });

    it('rejects unknown polls and invalid changes', async () => {
      const { name, key } = await taken();
      expectError(await change(name, { on_air: 'nobodyisHere' }, key), 404, 'poll_not_found');
      for (const show of [{}, { version: 1 }, { on_air: 'x' }, { on_air: 7 }, { title: 7 }, [], null])
        expectError(await change(name, show, key), 400, 'invalid_request');
      expect((await read(name)).json).toMatchObject({ title: '', on_air: null });
    });
  });

  describe('deleting a show', () => {
    it('needs the key, keeps the polls, and frees the name', async () => {
      const { name, key } = await taken();
      const { id } = await relay.create();
      await change(name, { on_air: id }, key);
      expectError(await remove(name), 401, 'api_key_required');
      expectError(await remove(name, FOREIGN_KEY), 403, 'api_key_rejected');
      const reply = await remove(name, key);
      expect([reply.status, reply.json]).toEqual([200, { success: 1, name }]);
      expectError(await read(name), 404, 'show_not_found');
      expect((await relay.read(id)).status).toBe('open');
      expect((await take({ name })).status).toBe(201);
      expectError(await change(name, { on_air: id }, key), 403, 'api_key_rejected');
    });

    it('accepts an operator key, and any content type', async () => {
      const { name } = await taken();
      const headers = { 'x-api-key': OPERATOR_KEY, 'content-type': 'application/json' };
      expect((await request('DELETE', `/${name}`, undefined, headers)).status).toBe(200);
    });
  });

  it('that do not exist are not found, whatever the name', async () => {
    for (const name of ['no-such-show', 'x', 'FRIDAY', '%00', '..%2f', 'é'.repeat(12), 'none']) {
      expectError(await read(name), 404, 'show_not_found');
      expectError(await change(name, { on_air: null }, OPERATOR_KEY), 404, 'show_not_found');
      expectError(await remove(name, OPERATOR_KEY), 404, 'show_not_found');
    }
  });

  it('reject other methods', async () => {
    const { name } = await taken();
    const { id } = await relay.create();
    const put = await send(`${relay.url}/api/show/${name}`, 'PUT', { poll: id }, OPERATOR_KEY);
    expectError(put, 405, 'method_not_allowed');
    expect(put.headers.get('allow')?.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH']);
    expectError(await request('GET', ''), 405, 'method_not_allowed');
    expect((await read(name)).json.on_air).toBeNull();
  });

  it('from before shows had keys stay on air, and only operators change them', async () => {
    const { id } = await relay.create();
    const name = freshName();
    await relay.engine.records.put(`show:${name}`, id);
    expect((await read(name)).json).toEqual({ success: 1, name, title: '', on_air: id, ...PLAIN });
    expectError(await change(name, { on_air: null }, FOREIGN_KEY), 403, 'api_key_rejected');
    expectError(await take({ name }), 409, 'show_name_taken');
    expect((await change(name, { on_air: null }, OPERATOR_KEY)).json.on_air).toBeNull();
  });
});

describe('limits of shows', () => {
  it('creating shows and polls has one limit', async () => {
    const relay = await startTestRelay({ clock: heldClock(), createPerMinute: 2 });
    const take = (name: string) =>
      ask(`${relay.url}/api/show`, { method: 'POST', body: JSON.stringify({ show: { name } }) });
    await relay.create();
    expect((await take('first')).status).toBe(201);
    const refused = await take('second');
    expectError(refused, 429, 'rate_limited');
    await expect(relay.create()).rejects.toThrow('429');
    await relay.close();
  });

  it('changing shows and polls has one limit, and reads have none', async () => {
    const relay = await startTestRelay({ clock: heldClock(), changesPerMinute: 2 });
    const url = `${relay.url}/api/show/evening`;
    const body = '{"show":{"name":"evening"}}';
    const { json } = await ask(`${relay.url}/api/show`, { method: 'POST', body });
    const { id, admin_key } = await relay.create();
    const closing = await send(
      `${relay.url}/api/poll/${id}`,
      'PATCH',
      { poll: { status: 'closed' } },
      admin_key,
    );
    expect(closing.status).toBe(200);
    const change = () => send(url, 'PATCH', { show: { on_air: id } }, json.show_key);
    expect((await change()).status).toBe(200);
    expectError(await change(), 429, 'rate_limited');
    expectError(await send(url, 'DELETE', undefined, json.show_key), 429, 'rate_limited');
    expect((await ask(url)).json.on_air).toBe(id);
    await relay.close();
  });
});
