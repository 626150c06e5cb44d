import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawRound } from '../../src/poll/next-round.ts';
import { idOfRound } from '../../src/poll/poll.ts';
import { checkDraft } from '../../src/poll/poll-schema.ts';
import { EventClient } from '../support/event-client.ts';
import { until } from '../support/until.ts';
import { type Fields, fieldValue, solveForm, visibleText } from './visitor.ts';
import { type LiveSite, startLiveSite } from './voting-site.ts';

let site: LiveSite;
beforeAll(async () => {
  site = await startLiveSite();
});
afterAll(() => site.close());

async function begin(id: string, given: Record<string, unknown> = {}): Promise<void> {
  const reading = (await site.engine.polls.find(id))!;
  const next = drawRound(reading, given, body => checkDraft(body, reading.results.readAtMs).data!.poll);
  expect(await site.engine.polls.again(id, next)).toBe(true);
}

describe('a voter, when the next round begins', () => {
  it('gets the form of the new round, filled as the old one was, and votes again', async () => {
    const { id, poll } = await site.createPoll({ mip: true, enter_name: true });
    const [visitor, other] = [site.phone(), site.phone()];
    const answer = poll.answers[1]!.id;
    await other.vote(id, answer, { name: 'Ben' });
    const form: Fields = { ...(await visitor.fillForm(id)), answer, name: 'Ann' };
    await begin(id);
    const late = await visitor.post(`/${id}/ballot`, form);
    expect([late.statusCode, visibleText(late.body)]).toEqual([
      409,
      expect.stringContaining('The next round has begun'),
    ]);
    expect(late.body).toContain(`value="${answer}" checked`);
    expect(fieldValue(late.body, 'name')).toBe('Ann');
    expect(await site.counts(id)).toEqual({ votes: [0, 0, 0], voters: 0 });
    const fresh = await solveForm(late.body);
    expect(fresh['ballot']).not.toBe(form['ballot']);
    expect((await visitor.post(`/${id}/ballot`, { ...fresh, answer, name: 'Ann' })).statusCode).toBe(303);

    expect(visibleText((await other.get(`/${id}`)).body)).not.toContain('You chose');
    expect((await other.vote(id, answer, { name: 'Ben' })).statusCode).toBe(303);
    expect(visibleText((await other.get(`/${id}`)).body)).toContain('You chose');
    expect(await site.counts(id)).toEqual({ votes: [0, 2, 0], voters: 2 });
    expect((await site.engine.polls.find(idOfRound(id, 1)))!.results.totalVoters).toBe(1);
  });

  it('cannot move a form to another round by its token', async () => {
    const { id, poll } = await site.createPoll({ mip: true });
    const visitor = site.phone();
    const form = await visitor.fillForm(id);
    await begin(id);
    for (const ballot of [`2~${form['ballot']}`, `3~${form['ballot']}`, `1~${form['ballot']}`]) {
      const reply = await visitor.post(`/${id}/ballot`, { ...form, ballot, answer: poll.answers[0]!.id });
      expect(reply.statusCode).not.toBe(303);
    }
    expect(await site.counts(id)).toEqual({ votes: [0, 0, 0], voters: 0 });
  });

  it('who has voted before sees hidden results only after another vote', async () => {
    const { id, poll } = await site.createPoll({
      mip: true,
      results_visibility: 'after_vote',
      change_vote: true,
    });
    const voter = site.phone();
    await voter.vote(id, poll.answers[0]!.id);
    const cookie = [...voter.cookies.values()]
      .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
      .join('; ');
    const feed = await EventClient.open(`${site.url}/${id}/results`, { cookie });
    await feed.event(message => 'version' in message, 'the results');
    const change = (await voter.get(`/${id}?change`)).body;
    await begin(id);
    await until(() => feed.ended, 'the end of the stream');
    expect(feed.events.some(({ message }) => 'round' in message)).toBe(false);
    expect((await voter.get(`/${id}/results`)).statusCode).toBe(403);
    const late = { ...(await solveForm(change)), change: '1', answer: poll.answers[1]!.id };
    const reply = await voter.post(`/${id}/ballot`, late);
    expect([reply.statusCode, fieldValue(reply.body, 'change')]).toEqual([409, undefined]);
    expect(await site.counts(id)).toEqual({ votes: [0, 0, 0], voters: 0 });
  });
});
