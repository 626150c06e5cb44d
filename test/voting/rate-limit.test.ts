import { afterEach, describe, expect, it } from 'vitest';
import { visibleText } from './visitor.ts';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let site: VotingSite;
afterEach(() => site.close());

describe('limits of one address', () => {
  it('are told in words with the time to come back, and leave other addresses alone', async () => {
    site = await startVotingSite({ rateLimits: { ballots: 2 } });
    const { id, poll } = await site.createPoll({ mip: true });
    const answer = poll.answers[0]!.id;
    const vote = (address: string) => site.visitor({ address }).vote(id, answer);
    expect((await vote('2001:db8::1')).statusCode).toBe(303);
    expect((await vote('2001:db8::2')).statusCode).toBe(303);
    const refused = await vote('2001:db8::3');
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(visibleText(refused.body)).toContain('Too many requests from your network');
    expect((await vote('2001:db8:0:1::1')).statusCode).toBe(303);
    expect((await site.counts(id)).voters).toBe(3);
  });

  it('count keys that are tried on manage pages', async () => {
    site = await startVotingSite({ rateLimits: { keys: 3 } });
    const { id, adminKey } = await site.createPoll();
    const visitor = site.visitor();
    for (let n = 0; n < 3; n += 1)
      expect((await visitor.post(`/${id}/manage/key`, { key: `admin_guess${n}` })).statusCode).toBe(403);
    expect((await visitor.post(`/${id}/manage/key`, { key: adminKey })).statusCode).toBe(429);
  });
});
