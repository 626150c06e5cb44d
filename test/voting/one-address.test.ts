import { afterEach, describe, expect, it, vi } from 'vitest';
import type { VotingRateLimits } from '../../src/pages/guard/rate-limit.ts';
import { readConfig, settingsOf } from '../../src/start/config.ts';
import { until } from '../support/until.ts';
import type { Visitor } from './visitor.ts';
import { type LiveSite, startLiveSite } from './voting-site.ts';

const NO_POLL = 'noSuchPoll12';

/** Sends requests without a cookie, 40 at a time. @returns their statuses */
async function flood(url: string, times: number, init: RequestInit = {}): Promise<number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < times; sent += 40)
    await Promise.all(
      Array.from({ length: Math.min(40, times - sent) }, async () => {
        const reply = await fetch(url, { redirect: 'manual', ...init });
        await reply.arrayBuffer();
        statuses.push(reply.status);
      }),
    );
  return statuses;
}

const rubbishForm = (site: LiveSite): RequestInit => ({
  method: 'POST',
  headers: { origin: site.url, 'content-type': 'application/x-www-form-urlencoded' },
  body: 'answer=rubbish&proof=rubbish',
});

describe('voters behind the address of an attacker', () => {
  let site: LiveSite;
  afterEach(() => site.close());

  async function open(limits: Partial<VotingRateLimits> = {}): Promise<{ id: string; answer: string }> {
    site = await startLiveSite({ rateLimits: { ...settingsOf(readConfig({})).rateLimits, ...limits } });
    const { id, poll } = await site.createPoll({ mip: true });
    return { id, answer: poll.answers[0]!.id };
  }

  it('are counted at once after 640 invalid forms', async () => {
    const { id, answer } = await open();
    const statuses = await flood(`${site.url}/${id}/ballot`, 640, rubbishForm(site));
    expect(statuses.every(status => status === 400 || status === 429)).toBe(true);
    expect((await vote(site.phone(), id, answer)).statusCode).toBe(303);
    expect((await site.counts(id)).voters).toBe(1);
  });

  it.each([
    ['an unknown poll', () => NO_POLL],
    ['challenges', (id: string) => `${id}/challenge`],
    ['challenges of an unknown poll', () => `${NO_POLL}/challenge`],
    ['pages', (id: string) => id],
  ])('get their page and challenge and are counted after a flood of requests for %s', async (_, pathOf) => {
    const { id, answer } = await open({ pages: 100 });
    await flood(`${site.url}/${pathOf(id)}`, 140);
    const phone = site.phone();
    expect((await vote(phone, id, answer)).statusCode).toBe(303);
    expect((await phone.get(`/${id}/challenge`)).statusCode).toBe(200);
    expect((await site.counts(id)).voters).toBe(1);
  });

  it('only need a retry with a cookie while the attacker exceeds the limit of the address', async () => {
    const { id, answer } = await open({ newcomers: 5 });
    let isOver = false;
    let refused = 0;
    const attack = async () => {
      while (!isOver) {
        const statuses = await flood(`${site.url}/${id}/ballot`, 10, rubbishForm(site));
        refused += statuses.filter(status => status === 429).length;
      }
    };
    const flooding = attack();
    await until(() => refused > 20, 'the attacker to exceed the limit');
    const phones = Array.from({ length: 3 }, () => site.phone());
    const statuses = await Promise.all(phones.map(async phone => (await vote(phone, id, answer)).statusCode));
    isOver = true;
    await flooding;
    expect(statuses).toEqual(phones.map(() => 303));
    expect((await site.counts(id)).voters).toBe(3);
  });
});

/** Retries once if the reply only sets a cookie, as a browser does. */
async function vote(phone: Visitor, id: string, answer: string) {
  if ((await phone.get(`/${id}`)).statusCode === 429)
    expect((await phone.get(`/${id}`)).statusCode).toBe(200);
  return phone.vote(id, answer);
}

describe('an unknown poll', () => {
  let site: LiveSite;
  afterEach(() => site.close());

  it('is answered from memory, but not for long', async () => {
    site = await startLiveSite();
    const { id } = await site.createPoll();
    const find = vi.spyOn(site.services.engine.polls, 'find').mockResolvedValueOnce(undefined);
    const visitor = site.visitor();
    expect((await visitor.get(`/${id}`)).statusCode).toBe(404);
    await until(async () => (await visitor.get(`/${id}`)).statusCode === 200, 'the poll to be found');
    find.mockClear();
    const startedMs = performance.now();
    for (let n = 0; n < 100; n += 1) expect((await visitor.get(`/${NO_POLL}`)).statusCode).toBe(404);
    // Four times a second at most.
    expect(find.mock.calls.length).toBeLessThanOrEqual(1 + (performance.now() - startedMs) / 250);
  });
});
