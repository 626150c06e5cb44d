import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/poll/poll-key.ts';
import type { ServerMessage } from '../../src/protocol/messages.ts';
import { createOperatorKey, revokeOperatorKey } from '../../src/show/operator-keys.ts';
import { ask, GOOD_POLL, post } from '../support/api-request.ts';
import { EventClient } from '../support/event-client.ts';
import { LiveClient } from '../support/live-client.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';

let site: LiveSite;
let closed: TestRelay;
let nowMs = Date.now();
let names = 0;

beforeAll(async () => {
  site = await startLiveSite({ clock: () => nowMs });
  closed = await startTestRelay({
    engine: site.relay.engine,
    createRequiresKey: true,
    clock: () => nowMs,
  });
});
afterAll(async () => {
  await closed.close();
  await site.close();
});

async function create(scopes: readonly Scope[], expiresAtMs: number | null = null): Promise<string> {
  names += 1;
  const wanted = { name: `key ${names}`, scopes, expiresAtMs };
  return (await createOperatorKey(site.relay.engine, wanted, nowMs)).key;
}

const revoke = () => revokeOperatorKey(site.relay.engine, `key ${names}`);

const hidden = () => site.relay.create({ results_visibility: 'hidden' });

const patch = (id: string, key: string) =>
  ask(`${closed.url}/api/poll/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ poll: { status: 'closed' } }),
  });

describe('an operator key of the engine', () => {
  it.each([
    [['read'], [200, 403, 403]],
    [['manage'], [200, 200, 403]],
    [['create'], [403, 403, 201]],
  ] as const)('with scopes %j returns %j for a read, a change and a creation', async (scopes, statuses) => {
    const { id } = await hidden();
    const key = await create(scopes);
    const headers = { 'x-api-key': key };
    const replies = async () => [
      (await ask(`${closed.url}/api/poll/${id}`, { headers })).status,
      (await patch(id, key)).status,
      (await post(closed.url, { poll: GOOD_POLL }, headers)).status,
    ];
    expect(await replies()).toEqual(statuses);
    await revoke();
    expect(await replies()).toEqual([403, 403, 403]);
  });

  it.each(['revoked', 'expired'])('closes only its own streams when it is %s', async how => {
    const { id, view_key } = await hidden();
    const key = await create(['read'], how === 'expired' ? nowMs + 2_000 : null);
    const url = `${closed.wsUrl}/api/poll/${id}/live`;
    const ours = await LiveClient.open(`${url}?key=${view_key}`);
    const socket = await LiveClient.open(`${closed.wsUrl}/api/live`);
    socket.send({ type: 'subscribe', id, key });
    const events = await EventClient.open(`${closed.url}/api/poll/${id}/live`, { 'x-api-key': key });
    const isShown = ({ type }: { type: string }) => type === 'results';
    await Promise.all([ours.message(isShown), socket.message(isShown), events.event(isShown)]);
    if (how === 'revoked') await revoke();
    else nowMs += 2_000;
    const isRejected = (message: ServerMessage) =>
      message.type === 'error' && message.code === 'api_key_rejected';
    await Promise.all([socket.message(isRejected), events.event(isRejected)]);
    await site.relay.cast(id);
    await ours.results(1);
    for (const client of [ours, socket, events]) client.close();
  });

  it('tells no more of a show when it is revoked', async () => {
    const show = await takeShow(site.relay);
    const { id } = (await show.addPoll({ results_visibility: 'hidden' })).json;
    await show.patch({ on_air: id });
    const key = await create(['read']);
    const live = await LiveClient.open(`${closed.wsUrl}/api/live`);
    const buttons = () => live.messages.filter(({ type }) => `${type}` === 'buttons').length;
    live.send({ type: 'follow', show: show.name, key });
    await live.until(() => buttons() > 0, 'the buttons');
    const told = buttons();
    await revoke();
    await patch(id, show.key);
    await live.message(message => message.type === 'error' && message.code === 'api_key_rejected');
    expect(buttons()).toBe(told);
    live.close();
  });

  it('closes its session of the manage page and the stream there when it is revoked', async () => {
    const { id, adminKey } = await site.createPoll();
    const key = await create(['manage']);
    const [operator, creator] = [site.visitor({ origin: site.url }), site.visitor({ origin: site.url })];
    for (const [visitor, shown] of [
      [operator, key],
      [creator, adminKey],
    ] as const)
      expect((await visitor.post(`/${id}/manage/key`, { key: shown })).statusCode).toBe(303);
    const live = (cookie: string) =>
      EventClient.open(`${site.url}/${id}/manage/live`, {
        cookie: `tallycast-manage=${encodeURIComponent(cookie)}`,
      });
    const [theirs, ours] = [await live(operator.cookie('manage')!), await live(creator.cookie('manage')!)];
    await revoke();
    await until(() => theirs.ended, 'the end of the feed');
    expect((await operator.post(`/${id}/manage/close`, {})).statusCode).toBe(403);
    expect((await creator.post(`/${id}/manage/close`, {})).statusCode).toBe(303);
    await until(() => ours.text.includes('"closed"'), 'the close in the feed');
    ours.close();
  });
});
