import { beforeAll, expect, it } from 'vitest';
import { showTopic } from '../../../src/show/show.ts';
import { BUTTONS } from '../../../src/show/show-schema.ts';
import { type ApiReply, ask, expectError } from '../../support/api-request.ts';
import { EventClient } from '../../support/event-client.ts';
import { LiveClient } from '../../support/live-client.ts';
import type { TestRelay } from '../../support/test-relay.ts';
import { type TestShow, takeShow } from '../../support/test-show.ts';

const HIDDEN = { results_visibility: 'hidden' };

/** The key of a show manages its polls. @param relays two on one engine, or twice the same one */
export function ownerClaims(relays: () => readonly [TestRelay, TestRelay]): void {
  let relay: TestRelay;
  let other: TestRelay;
  beforeAll(() => {
    [relay, other] = relays();
  });

  const poll = (id: string, key: string, init: RequestInit = {}, path = ''): Promise<ApiReply> =>
    ask(`${other.url}/api/poll/${id}${path}`, { ...init, headers: { 'x-api-key': key } });
  const patch = (id: string, key: string, change: unknown) =>
    poll(id, key, { method: 'PATCH', body: JSON.stringify({ poll: change }) });
  const rotate = (show: TestShow, headers: Record<string, string> = {}) =>
    show.press('show_key', undefined, headers);
  const liveWith = async (id: string, key: string) => {
    const live = await LiveClient.open(`${other.wsUrl}/api/live`);
    live.send({ type: 'subscribe', id, key });
    return live;
  };

  it('opens, closes, reveals, reads and deletes only its own polls', async () => {
    const show = await takeShow(relay);
    const { id } = (await show.addPoll({ ...HIDDEN, status: 'upcoming' })).json;
    const foreign = await relay.create(HIDDEN);
    await show.patch({ rundown: [id, foreign.id], on_air: foreign.id });
    for (const change of [{ status: 'open' }, { status: 'closed' }, { results_visibility: 'hidden' }]) {
      expect((await patch(id, show.key, change)).json).toMatchObject(change);
      expectError(await patch(foreign.id, show.key, change), 403, 'api_key_rejected');
    }
    expect((await poll(id, show.key)).json.total_votes).toBe(0);
    expectError(await poll(foreign.id, show.key), 403, 'api_key_rejected');
    for (const [method, path] of [
      ['POST', '/view_key'],
      ['DELETE', ''],
    ] as const) {
      expectError(await poll(foreign.id, show.key, { method }, path), 403, 'api_key_rejected');
      expectError(
        await ask(`${relay.url}/api/poll/${id}${path}?key=${show.key}`, { method }),
        403,
        'api_key_rejected',
      );
      expect((await poll(id, show.key, { method }, path)).status).toBe(200);
    }
  });

  it('has a key that reads all of it, hidden results too, and presses nothing', async () => {
    const show = await takeShow(relay);
    const { id } = (await show.addPoll({ ...HIDDEN, mip: true })).json;
    await show.patch({ on_air: id });
    await other.cast(id);
    const { view_key: key } = (await show.get()).json;
    expect(key).toMatch(/^show_view_/);
    const reads = async (shown: string) =>
      Promise.all(
        ['', '/rundown', '/buttons', '/results'].map(async path => (await show.get(path, shown)).status),
      );
    expect(await reads(key)).toEqual([200, 200, 200, 200]);
    expect((await show.get('', key)).json.view_key).toBeUndefined();
    expect((await poll(id, key)).json.total_votes).toBe(1);
    const inUrl = await ask(`${other.url}/api/show/${show.name}/buttons?key=${key}`);
    expect(inUrl.json.on_air).toMatchObject({ id, total_votes: 1 });
    for (const at of [`/api/show/${show.name}/live?key=${key}`, '/api/live']) {
      const live = await LiveClient.open(`${other.wsUrl}${at}`);
      if (at === '/api/live') live.send({ type: 'follow', show: show.name, key });
      await live.until(() => live.of('results').length === 1, 'the hidden results');
      expect(live.of('show')[0]).toMatchObject({ id, rundown: [id] });
      live.close();
    }
    const { version } = (await show.get()).json;
    const viewer = { ...show.at(other.url), key };
    const refused = {
      success: 0,
      error: { code: 'api_key_rejected', message: expect.stringContaining('only reads') },
    };
    const asViewer = { 'x-api-key': viewer.key };
    for (const button of [...BUTTONS, 'show_key', 'view_key', 'copy'])
      expect((await show.press(button, {}, asViewer)).json, button).toMatchObject(refused);
    expect((await show.patch({ title: 'Mine' }, asViewer)).json).toMatchObject(refused);
    expect((await show.addPoll({}, asViewer)).json).toMatchObject(refused);
    expectError(await patch(id, key, { status: 'closed' }), 403, 'api_key_rejected');
    expect((await show.get()).json.version).toBe(version);
  });

  it('keeps its view key with a new show key, and replaces it by a request of its own', async () => {
    const show = await takeShow(relay);
    const { id } = (await show.addPoll(HIDDEN)).json;
    await show.patch({ on_air: id });
    const first = (await show.get()).json.view_key;
    const live = await LiveClient.open(`${other.wsUrl}/api/live`);
    live.send({ type: 'follow', show: show.name, key: first });
    live.send({ type: 'subscribe', id, key: first });
    await live.until(() => live.of('results').length > 0, 'the hidden results');
    show.key = (await rotate(show)).json.show_key;
    expect((await show.get()).json.view_key).toBe(first);
    const headers = { 'idempotency-key': `a-new-view-key-of-${show.name}` };
    const made = (await show.press('view_key', undefined, headers)).json;
    expect((await show.press('view_key', undefined, headers)).json).toEqual(made);
    expect(made.links.presenter).toContain(`/overlay/show/${show.name}?style=host#key=${made.view_key}`);
    expect((await show.get()).json.view_key).toBe(made.view_key);
    expectError(await show.get('', first), 403, 'api_key_rejected');
    expectError(await poll(id, first), 403, 'api_key_rejected');
    await live.until(() => live.of('error').length === 2, 'the end of both');
    expect(live.of('error').map(({ code }) => code)).toEqual(['api_key_rejected', 'api_key_rejected']);
  });

  it('gets a view key with the first read by its own key, if it has none yet', async () => {
    const show = await takeShow(relay);
    const topic = showTopic(show.name);
    const { viewKey: _, ...older } = JSON.parse((await relay.engine.records.find(topic))!);
    await relay.engine.records.put(topic, JSON.stringify(older));
    const both = await Promise.all([show.get(), show.at(other.url).get()]);
    const [one, two] = both.map(({ json }) => json.view_key);
    expect([one, (await show.get()).json.view_key]).toEqual([two, two]);
    expect((await show.get('/buttons', one)).status).toBe(200);
  });

  it('reads hidden results on the live stream until its key is replaced', async () => {
    const show = await takeShow(relay);
    const { id } = (await show.addPoll({ ...HIDDEN, mip: true })).json;
    const foreign = await relay.create(HIDDEN);
    const stranger = await liveWith(foreign.id, show.key);
    await stranger.until(() => stranger.of('error').length === 1, 'the refusal');
    stranger.close();

    const live = await liveWith(id, show.key);
    await live.until(() => live.of('results').length === 1, 'the results');
    await relay.cast(id);
    await live.until(() => live.of('results').at(-1)?.total_votes === 1, 'a vote');
    const stream = await EventClient.open(`${other.url}/api/poll/${id}/live`, { 'x-api-key': show.key });
    await stream.event(({ type }) => type === 'results', 'the results as events');

    const { status, json } = await rotate(show);
    expect([status, Object.keys(json)]).toEqual([200, ['success', 'name', 'show_key', 'links']]);
    await live.until(() => live.of('error').length === 1, 'the end of the old key');
    expect(live.of('error')[0]).toMatchObject({ code: 'api_key_rejected', id });
    await stream.event(({ type }) => type === 'error', 'the end of the old key as an event');
    live.close();
    stream.close();

    for (const url of [relay.url, other.url]) {
      const of = (key: string) => ask(`${url}/api/poll/${id}`, { headers: { 'x-api-key': key } });
      expectError(await of(show.key), 403, 'api_key_rejected');
      expect((await of(json.show_key)).status).toBe(200);
    }
    expectError(await show.press('next'), 403, 'api_key_rejected');
    expectError(await show.get(), 403, 'api_key_rejected');
    show.key = json.show_key;
    expect((await show.press('next')).json.on_air).toBe(id);
  });

  it('replaces its key once, and returns it again to a retry', async () => {
    const show = await takeShow(relay);
    const headers = { 'idempotency-key': `handing-over-${show.name}` };
    const replies = await Promise.all([rotate(show, headers), rotate(show, headers)]);
    const late = await rotate(show, headers);
    const { show_key } = late.json;
    expect(new Set([...replies, late].map(({ json }) => json.show_key))).toEqual(new Set([show_key]));
    // Without that Idempotency-Key the old key no longer works.
    expectError(await rotate(show), 403, 'api_key_rejected');
    expectError(
      await rotate(show, { 'idempotency-key': 'another-one-of-16-or-more' }),
      403,
      'api_key_rejected',
    );
    show.key = show_key;
    expect((await show.get()).status).toBe(200);
  });

  it('once deleted leaves polls to their own keys, also if the name is taken again', async () => {
    const show = await takeShow(relay);
    const { id, admin_key } = (await show.addPoll(HIDDEN)).json;
    const live = await liveWith(id, show.key);
    await live.until(() => live.of('results').length === 1, 'the results');
    const url = `${relay.url}/api/show/${show.name}`;
    await ask(url, { method: 'DELETE', headers: { 'x-api-key': show.key } });
    const again = await ask(`${relay.url}/api/show`, {
      method: 'POST',
      body: JSON.stringify({ show: { name: show.name } }),
    });
    await live.until(() => live.of('error').length === 1, 'the end');
    live.close();
    for (const key of [show.key, again.json.show_key])
      expectError(await poll(id, key), 403, 'api_key_rejected');
    expect((await poll(id, admin_key)).status).toBe(200);
    show.key = again.json.show_key;
    expect((await show.patch({ rundown: [id] })).json).toMatchObject({ rundown: [id], own: [] });
  });

  it('from before rundowns existed owns polls created from now on', async () => {
    const show = await takeShow(relay);
    const record = `show:${show.name}` as const;
    const { title, onAir, keyHash } = JSON.parse((await relay.engine.records.find(record))!);
    await relay.engine.records.put(record, JSON.stringify({ title, onAir, keyHash }));
    expect((await show.get()).json).toMatchObject({ rundown: [], own: [], version: 2 });
    const { id } = (await show.addPoll(HIDDEN)).json;
    expect((await show.get()).json).toMatchObject({ rundown: [id], own: [id] });
    expect((await poll(id, show.key)).status).toBe(200);
  });
}
