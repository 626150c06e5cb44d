import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventClient } from '../support/event-client.ts';
import type { Visitor } from './visitor.ts';
import { type LiveSite, startLiveSite, type TestPoll } from './voting-site.ts';

let site: LiveSite;
beforeAll(async () => {
  site = await startLiveSite();
});
afterAll(() => site.close());

const create = (draft: object = {}) =>
  site.createPoll({ mip: true, results_visibility: 'after_vote', ...draft });
const cookieOf = ({ cookies }: Visitor) =>
  [...cookies.values()].map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('; ');
const feedOf = ({ id }: TestPoll, voter: Visitor) =>
  EventClient.open(`${site.url}/${id}/results`, { cookie: cookieOf(voter) });
const figures = /class=count>(\d+)</g;
const countsIn = async ({ id }: TestPoll, visitor: Visitor) =>
  [...(await visitor.get(`/${id}`)).body.matchAll(figures)].map(([, count]) => Number(count));

async function voterOf({ id, poll }: TestPoll, place = 0): Promise<Visitor> {
  const voter = site.phone();
  expect((await voter.vote(id, poll.answers[place]!.id)).statusCode).toBe(303);
  return voter;
}

describe('results_visibility: after_vote', () => {
  it('shows the results to those who have voted, and to everyone from the close on', async () => {
    const test = await create();
    const other = await create();
    const outsider = site.phone();
    const voter = await voterOf(test);
    await voterOf(test, 1);
    expect(await countsIn(test, voter)).toEqual([1, 1, 0]);
    expect(await countsIn(test, outsider)).toEqual([]);
    expect((await outsider.get(`/${test.id}`)).body).toContain('once you’ve voted');
    expect(await countsIn(other, voter)).toEqual([]);
    // A browser that lost its receipt has voted all the same.
    for (const [key, { name }] of voter.cookies) if (name.includes('receipt')) voter.cookies.delete(key);
    expect(await countsIn(test, voter)).toEqual([1, 1, 0]);
    await site.engine.polls.change(test.id, { closed: true });
    expect(await countsIn(test, outsider)).toEqual([1, 1, 0]);
    expect((await fetch(`${site.relay.url}/api/poll/${test.id}`)).status).toBe(200);
    await site.engine.polls.change(test.id, { closed: false });
    expect(await countsIn(test, outsider)).toEqual([]);
    expect((await fetch(`${site.relay.url}/api/poll/${test.id}`)).status).toBe(401);
  });

  it('sends voters each change until the creator hides the results, and outsiders nothing', async () => {
    const test = await create();
    const voter = await voterOf(test);
    const feed = await feedOf(test, voter);
    await feed.event(message => 'version' in message && message.version === 2, 'the first results');
    await voterOf(test, 2);
    const { message } = await feed.event(message => 'version' in message && message.version === 3, 'a vote');
    expect(message).toMatchObject({ total_votes: 2, status: 'open', results_visibility: 'after_vote' });
    await site.engine.polls.change(test.id, { resultsVisibility: 'hidden' });
    const isHidden = () => feed.event(message => message.type === 'hidden', 'the end of the results');
    const hidden = JSON.stringify((await isHidden()).message);
    expect(hidden).not.toMatch(/votes|version/);
    await voterOf(test, 1);
    await site.engine.polls.change(test.id, { closed: true, resultsVisibility: 'after_vote' });
    await feed.event(message => 'status' in message && message.status === 'closed', 'the final results');
    // The vote while they were hidden was not told.
    expect(feed.events.filter(({ message }) => message.type === 'hidden')).toHaveLength(1);
    feed.close();

    const outsider = site.phone();
    await outsider.get(`/${test.id}`);
    for (const visitor of [outsider, site.phone(), await voterOf(await create())]) {
      const refused = await feedOf(test, visitor);
      expect(refused.response.statusCode).toBe(403);
      refused.close();
    }
  });

  it('tells no voter of a rejected ballot', async () => {
    const test = await create({ ma: true, min_choices: 2 });
    const visitor = site.phone();
    expect((await visitor.vote(test.id, test.poll.answers[0]!.id)).statusCode).toBe(400);
    await voterOf(await create());
    expect(await countsIn(test, visitor)).toEqual([]);
    expect((await feedOf(test, visitor)).response.statusCode).toBe(403);
  });

  it('shows its creator and holders of a key the results', async () => {
    const test = await create();
    await voterOf(test);
    for (const key of [test.viewKey, test.adminKey]) {
      const reply = await fetch(`${site.relay.url}/api/poll/${test.id}`, { headers: { 'x-api-key': key } });
      expect([reply.status, (await reply.json()).total_votes]).toEqual([200, 1]);
    }
    const creator = site.phone();
    await creator.post(`/${test.id}/manage/key`, { key: test.adminKey });
    const { body } = await creator.get(`/${test.id}/manage`);
    expect(body).toContain('People who have voted can see the results.');
    await creator.post(`/${test.id}/manage/visibility`, { results_visibility: 'always' });
    await creator.post(`/${test.id}/manage/visibility`, { results_visibility: 'after_vote' });
    expect((await site.engine.polls.find(test.id))?.results.resultsVisibility).toBe('after_vote');
  });
});
