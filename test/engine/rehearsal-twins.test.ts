import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultsBody } from '../../src/protocol/messages.ts';
import { LiveClient } from '../support/live-client.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';
import { voidBallots } from '../support/void-ballots.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await startTestRelay();
});
afterAll(() => relay.close());

const send = (method: string, path: string, key?: string, poll?: Record<string, unknown>) =>
  fetch(`${relay.url}/api/poll/${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
    ...(poll && { body: JSON.stringify({ poll }) }),
  });

describe('the simulated twin of a poll', () => {
  it('is opened, voted on and closed without a change of the poll', async () => {
    const { id, admin_key } = await relay.create({ status: 'upcoming' });
    const before = await relay.engine.polls.find(id);
    const twin = `rehearsal-${id}`;
    expect(await relay.read(twin)).toMatchObject({
      id: twin,
      title: 'Which song next?',
      status: 'upcoming',
      total_votes: 0,
      rehearsal: true,
    });
    const client = await LiveClient.open(`${relay.wsUrl}/api/poll/${twin}/live`);
    expect((await send('PATCH', twin, admin_key, { status: 'open' })).status).toBe(200);
    await client.message(message => message.type === 'results' && message.total_votes > 5);
    expect((await send('PATCH', twin, admin_key, { results_visibility: 'hidden' })).status).toBe(200);
    await client.message(message => message.type === 'hidden');
    expect((await send('GET', twin)).status).toBe(401);
    await send('PATCH', twin, admin_key, { results_visibility: 'always', status: 'closed' });
    const closed = await client.message(message => message.type === 'results' && message.final === true);
    const later = await relay.read(twin);
    expect(later.poll_answers).toEqual('poll_answers' in closed && closed.poll_answers);
    client.close();
    expect({ ...before, results: { ...before!.results, readAtMs: 0 } }).toEqual({
      ...(await relay.engine.polls.find(id)),
      results: { ...before!.results, readAtMs: 0 },
    });
  });

  it('has no removed votes, whatever the creator removed from the poll', async () => {
    const { id } = await relay.create();
    await relay.cast(id, 0, 2);
    await voidBallots(relay.engine.polls, id, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
    expect(await relay.read(id)).toMatchObject({ total_votes: 0, voided_votes: 2 });
    expect(await relay.read(`rehearsal-${id}`)).not.toHaveProperty('voided_votes');
  });

  it('closes by a deadline of its own, and continues when it is opened again', async () => {
    const { id, admin_key } = await relay.create();
    const twin = `rehearsal-${id}`;
    await send('PATCH', twin, admin_key, { status: 'open', closes_in: 5 });
    await expect.poll(async () => (await relay.read(twin)).status).toBe('closed');
    const { total_votes, version } = await relay.read(twin);
    await send('PATCH', twin, admin_key, { status: 'open', deadline: null });
    const again = await relay.read(twin);
    expect(again.total_votes).toBeGreaterThanOrEqual(total_votes);
    expect(again.version).toBeGreaterThan(version);
  });

  it('closes after its opening as the poll is prepared to', async () => {
    const prepared = { status: 'upcoming', closes_in: 90, results_visibility: 'after_deadline' };
    const { id, admin_key } = await relay.create(prepared);
    const twin = `rehearsal-${id}`;
    const beforeMs = Date.now();
    const opened = (await (await send('PATCH', twin, admin_key, { status: 'open' })).json()) as ResultsBody;
    expect(opened.results_visibility).toBe('after_deadline');
    const leftMs = Date.parse(opened.deadline ?? '') - beforeMs;
    expect(leftMs).toBeGreaterThanOrEqual(90_000);
    expect(leftMs).toBeLessThan(120_000);
    expect(await relay.read(id, { 'x-api-key': admin_key })).toMatchObject({ closes_in: 90 });
  });

  it('obeys the keys of its poll, and cannot be removed or given a key', async () => {
    const { id, view_key, admin_key } = await relay.create();
    const twin = `rehearsal-${id}`;
    expect((await send('PATCH', twin, undefined, { status: 'open' })).status).toBe(401);
    expect((await send('PATCH', twin, view_key, { status: 'open' })).status).toBe(403);
    for (const [method, path] of [
      ['DELETE', twin],
      ['POST', `${twin}/view_key`],
    ] as const)
      expect((await send(method, path, admin_key)).status).toBe(405);
    expect((await send('PATCH', 'rehearsal-nobodyknows1', admin_key, { status: 'open' })).status).toBe(404);
    expect((await send('DELETE', id, admin_key)).status).toBe(200);
    expect((await send('GET', twin)).status).toBe(404);
  });

  it('has the place of its poll in the rundown, next stays in the rehearsal, and its end gives the place back', async () => {
    const show = await takeShow(relay);
    const [first, second] = await show.fill(2);
    expect((await show.patch({ on_air: `rehearsal-${first}` })).json).toMatchObject({ place: first });
    expect((await show.press('next')).json).toMatchObject({ on_air: `rehearsal-${second}`, place: second });
    expect((await show.press('previous')).json).toMatchObject({ on_air: `rehearsal-${first}` });
    await show.press('clear');
    expect((await show.press('next')).json).toMatchObject({ on_air: first });
  });
});
