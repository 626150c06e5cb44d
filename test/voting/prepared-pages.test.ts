import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineDouble } from '../support/engine-double.ts';
import { attribute, fieldValue, visibleText } from './visitor.ts';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let under: VotingSite;
let double: EngineDouble;
let site: VotingSite;
beforeAll(async () => {
  under = await startVotingSite();
  double = new EngineDouble(under.engine);
  site = await startVotingSite({ engine: double.engine });
});
afterAll(async () => {
  await site.close();
  await under.close();
});

describe('a page that is rendered once for many voters', () => {
  it('has a ballot, a check and a cookie for each, from shared reads', async () => {
    const { id } = await site.createPoll();
    await site.visitor().get(`/${id}`);
    const readsBefore = double.reads;
    const replies = await Promise.all(Array.from({ length: 20 }, () => site.visitor().get(`/${id}`)));
    expect(double.reads - readsBefore).toBeLessThan(replies.length);
    const different = (read: (reply: (typeof replies)[number]) => unknown) => new Set(replies.map(read)).size;
    expect(different(({ body }) => fieldValue(body, 'ballot'))).toBe(20);
    expect(different(({ body }) => attribute(body, 'data-challenge'))).toBe(20);
    expect(different(({ cookies }) => cookies[0]?.value)).toBe(20);
  });

  it('includes every ballot that was acknowledged before the request', async () => {
    const { id, poll } = await site.createPoll({ mip: true });
    for (let voters = 1; voters <= 5; voters += 1) {
      await site.visitor().vote(id, poll.answers[0]!.id);
      const pages = await Promise.all([site.visitor().get(`/${id}`), site.visitor().get(`/${id}`)]);
      for (const { body } of pages) expect(body).toContain(`<span class=count>${voters}</span>`);
    }
  });

  it('shows choices, rejections and receipts only to their voter', async () => {
    const { id, poll } = await site.createPoll({ mip: true, enter_name: true });
    const [one, other] = [site.visitor(), site.visitor()];
    const form = await one.fillForm(id);
    const refused = await one.post(`/${id}/ballot`, { ...form, name: 'Ada', answer: 'no such answer' });
    expect(visibleText(refused.body)).toContain('That answer isn’t in this poll');
    expect(refused.body).toContain('value="Ada"');
    expect(fieldValue(refused.body, 'ballot')).toBe(form['ballot']);
    const fresh = (await other.get(`/${id}`)).body;
    expect(fresh).not.toContain('value="Ada"');
    expect(visibleText(fresh)).not.toContain('isn’t in this poll');

    await one.vote(id, poll.answers[0]!.id, { name: 'Ada' });
    await other.vote(id, poll.answers[1]!.id, { name: 'Bob' });
    for (const [visitor, chosen] of [
      [one, 'Waterloo'],
      [other, 'Volare'],
      [one, 'Waterloo'],
    ] as const)
      expect(visibleText((await visitor.get(`/${id}`)).body)).toContain(`You chose ${chosen} .`);
    expect((await site.visitor().get(`/${id}`)).body).not.toContain('Your vote has been counted');
  });

  it('is 410 once its poll is deleted, and ballots are rejected', async () => {
    const { id, poll } = await site.createPoll();
    const visitor = site.visitor();
    const form = await visitor.fillForm(id);
    await site.engine.polls.remove(id);
    expect((await visitor.get(`/${id}`)).statusCode).toBe(410);
    const late = await visitor.post(`/${id}/ballot`, { ...form, answer: poll.answers[0]!.id });
    expect(late.statusCode).toBe(410);
    expect(visibleText(late.body)).toContain('Poll not found');
  });
});
