import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visibleText } from './visitor.ts';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite();
});
afterAll(() => site.close());

describe('a vote', () => {
  it('is counted once and told in words, with the choice', async () => {
    const { id, poll } = await site.createPoll();
    const visitor = site.visitor();
    const reply = await visitor.vote(id, poll.answers[1]!.id);
    expect(reply.statusCode).toBe(303);
    expect(reply.headers.location).toBe(`/${id}`);
    const page = visibleText((await visitor.get(`/${id}`)).body);
    expect(page).toContain('Your vote is counted');
    expect(page).toContain('You chose Volare .');
    expect(await site.counts(id)).toEqual({ votes: [0, 1, 0], voters: 1 });
  });
});
