import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { voidBallots } from '../support/void-ballots.ts';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let nowMs = 1_000_000;
let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite({ clock: () => nowMs });
});
afterAll(() => site.close());

const ask = (id: string) => site.server.inject(`/${id}/state`);

describe('the state of a poll', () => {
  it('of a deleted poll is 410', async () => {
    const { id } = await site.createPoll();
    await site.engine.polls.remove(id);
    expect((await ask(id)).statusCode).toBe(410);
  });

  it('does not change with a ballot, sets no cookie, and is cacheable', async () => {
    const { id } = await site.createPoll({ mip: true, results_visibility: 'hidden' });
    const before = await ask(id);
    const [answer] = (await site.engine.polls.find(id))!.poll.answers;
    await site.visitor().vote(id, answer!.id);
    nowMs += 1_000;
    const after = await ask(id);
    const { nowMs: _, ...state } = before.json();
    const { nowMs: __, ...stateAfter } = after.json();
    expect(stateAfter).toEqual(state);
    expect(Object.keys(state).sort()).toEqual([
      'againMs',
      'deadlineMs',
      'resultsVisibility',
      'status',
      'visible',
    ]);
    expect(after.headers['content-length']).toBe(before.headers['content-length']);
    expect(after.headers['set-cookie']).toBeUndefined();
    expect(after.headers['cache-control']).toBe('public, max-age=1');
  });

  it('has the removed votes of final results only while those are visible', async () => {
    const { id, poll } = await site.createPoll({ mip: true });
    await site.visitor().vote(id, poll.answers[0]!.id);
    await voidBallots(site.engine.polls, id, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
    const seen: unknown[] = [];
    for (const change of [{}, { closed: true }, { resultsVisibility: 'hidden' }] as const) {
      await site.engine.polls.change(id, change);
      nowMs += 1_000;
      seen.push((await ask(id)).json().voided);
    }
    expect(seen).toEqual([undefined, 1, undefined]);
  });

  it('sets no language cookie, unlike pages, which are not cacheable', async () => {
    const { id } = await site.createPoll();
    const state = await site.server.inject(`/${id}/state?lang=de`);
    expect(state.headers['cache-control']).toContain('public');
    expect(state.headers['set-cookie']).toBeUndefined();
    const page = await site.visitor().get(`/${id}?lang=de`);
    expect(String(page.headers['set-cookie'])).toContain('lang');
  });

  it('costs one engine read for any number of requests at a time', async () => {
    const { id } = await site.createPoll();
    const find = vi.spyOn(site.services.engine.polls, 'find');
    const replies = await Promise.all(Array.from({ length: 200 }, () => ask(id)));
    expect(replies.every(reply => reply.statusCode === 200)).toBe(true);
    expect(find).toHaveBeenCalledTimes(1);
  });

  it('has the interval of its pages, which no flood from one address changes', async () => {
    const { id } = await site.createPoll({ status: 'upcoming' });
    const { id: own } = await site.createPoll();
    const visitors = Array.from({ length: 20 }, () => site.visitor());
    await visitors[0]!.get(`/${own}`);
    for (let second = 0; second < 12; second += 1) {
      await Promise.all(
        Array.from({ length: 500 }, (_, nth) =>
          nth % 2 ? ask(own) : visitors[0]!.get(`/${own}/state`, { 'tallycast-interval': '32000' }),
        ),
      );
      nowMs += 1_000;
      expect((await visitors[second]!.get(`/${id}/state`)).json().againMs).toBe(3_000);
    }
  });

  it('is the same for all pages, so that a proxy may answer with one reply', async () => {
    const { id } = await site.createPoll();
    const visitor = site.visitor();
    await visitor.get(`/${id}`);
    const replies = [await ask(id), await visitor.get(`/${id}/state`, { 'tallycast-interval': '15000' })];
    const [one, other] = replies.map(reply => ({ ...reply.json<object>(), nowMs: undefined }));
    expect(one).toEqual(other);
    for (const { headers } of replies) expect(String(headers.vary)).not.toMatch(/cookie|interval/i);
  });
});
