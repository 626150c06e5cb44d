import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let nowMs = 1_000_000;
let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite({ clock: () => nowMs });
});
afterAll(() => site.close());

const ask = (id: string) => site.server.inject(`/${id}/state`);

describe('the state of a poll, which open pages ask for', () => {
  it('follows what the creator does, and is as old as a second at most', async () => {
    const { id } = await site.createPoll({ status: 'upcoming' });
    expect((await ask(id)).json()).toMatchObject({ status: 'upcoming', visible: true, deadlineMs: null });
    await site.engine.polls.change(id, { closed: false });
    nowMs += 1_000;
    expect((await ask(id)).json()).toMatchObject({ status: 'open', visible: true });
    await site.engine.polls.change(id, { closed: true, resultsVisibility: 'hidden' });
    nowMs += 1_000;
    expect((await ask(id)).json()).toMatchObject({ status: 'closed', visible: false });
    await site.engine.polls.remove(id);
    nowMs += 1_000;
    expect((await ask(id)).statusCode).toBe(404);
  });

  it('says nothing that moves with a ballot, gives no cookie, and may be kept by a proxy', async () => {
    const { id } = await site.createPoll({ mip: true, results_visibility: 'hidden' });
    const before = await ask(id);
    const [answer] = (await site.engine.polls.find(id))!.poll.answers;
    await site.visitor().vote(id, answer!.id);
    nowMs += 1_000;
    const after = await ask(id);
    const { nowMs: _, ...said } = before.json();
    const { nowMs: __, ...saidAfter } = after.json();
    expect(saidAfter).toEqual(said);
    expect(Object.keys(said).sort()).toEqual([
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

  it('gives no cookie for a language either, and a page that is kept by nobody does', async () => {
    const { id } = await site.createPoll();
    const state = await site.server.inject(`/${id}/state?lang=de`);
    expect(state.headers['cache-control']).toContain('public');
    expect(state.headers['set-cookie']).toBeUndefined();
    const page = await site.visitor().get(`/${id}?lang=de`);
    expect(String(page.headers['set-cookie'])).toContain('lang');
  });

  it('costs the engine one read, however many ask in a second', async () => {
    const { id } = await site.createPoll();
    const find = vi.spyOn(site.engine.polls, 'find');
    const replies = await Promise.all(Array.from({ length: 200 }, () => ask(id)));
    expect(replies.every(reply => reply.statusCode === 200)).toBe(true);
    expect(find).toHaveBeenCalledTimes(1);
  });

  it('tells pages to ask less often where very many do, and as often as before when they are gone', async () => {
    const { id } = await site.createPoll();
    const againMs = async () => ((await ask(id)).json() as { againMs: number }).againMs;
    nowMs += 10_000;
    await againMs();
    nowMs += 1_000;
    expect(await againMs()).toBe(15_000);
    await Promise.all(Array.from({ length: 3_000 }, () => ask(id)));
    nowMs += 1_000;
    expect(await againMs()).toBeGreaterThan(30_000);
    for (let n = 0; n < 3; n += 1) {
      nowMs += 60_000;
      await againMs();
    }
    expect(await againMs()).toBe(15_000);
  });
});
