import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visibleText } from './visitor.ts';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite();
});
afterAll(() => site.close());

const FIVE = ['One', 'Two', 'Three', 'Four', 'Five'];
const createWith = (draft: object) => site.createPoll({ mip: true, answers: FIVE, ...draft });
const orderIn = (body: string) => [...body.matchAll(/name="answer" value="([\w-]+)"/g)].map(([, id]) => id);

describe('the number of choices', () => {
  it.each([
    [{}, 'Choose one'],
    [{ ma: true }, 'Choose one or more'],
    [{ ma: true, min_choices: 1, max_choices: 5 }, 'Choose one or more'],
    [{ ma: true, max_choices: 1 }, 'Choose one'],
    [{ ma: true, max_choices: 3 }, 'Choose up to 3'],
    [{ ma: true, min_choices: 2 }, 'Choose at least 2'],
    [{ ma: true, min_choices: 2, max_choices: 3 }, 'Choose 2 to 3'],
    [{ ma: true, min_choices: 5 }, 'Choose 5'],
  ])('%j is written above the answers: %s', async (draft, rule) => {
    const { id } = await createWith(draft);
    expect((await site.visitor().get(`/${id}`)).body).toContain(`<legend>${rule}</legend>`);
  });

  it('is checked without JavaScript: the page says the rule and what was chosen, and keeps the choice', async () => {
    const { id, poll } = await createWith({ ma: true, min_choices: 2, max_choices: 3 });
    const visitor = site.visitor();
    for (const count of [1, 4]) {
      const chosen = poll.answers.slice(0, count).map(answer => answer.id);
      const reply = await visitor.vote(id, chosen);
      expect(reply.statusCode).toBe(400);
      expect(visibleText(reply.body)).toContain(`Choose 2 to 3. You chose ${count}.`);
      expect(reply.body.match(/ checked/g)).toHaveLength(count);
    }
    expect((await site.counts(id)).voters).toBe(0);
    const reply = await visitor.vote(
      id,
      poll.answers.slice(1, 4).map(answer => answer.id),
    );
    expect(reply.statusCode).toBe(303);
    expect((await site.counts(id)).votes).toEqual([0, 1, 1, 1, 0]);
  });
});

describe('answer_order', () => {
  it('random: differs between voters, stays for each, and is kept by a rejected form', async () => {
    const { id, poll } = await createWith({ answer_order: 'random', ma: true, min_choices: 2 });
    const voters = Array.from({ length: 8 }, () => site.visitor());
    const orders: string[] = [];
    for (const voter of voters) {
      const order = orderIn((await voter.get(`/${id}`)).body);
      expect(order.toSorted()).toEqual(poll.answers.map(answer => answer.id).toSorted());
      orders.push(order.join());
    }
    expect(new Set(orders).size).toBeGreaterThan(1);
    for (const [index, voter] of voters.entries()) {
      expect(orderIn((await voter.get(`/${id}`)).body).join()).toBe(orders[index]);
      const rejected = await voter.vote(id, poll.answers[0]!.id);
      expect([rejected.statusCode, orderIn(rejected.body).join()]).toEqual([400, orders[index]]);
    }
  });

  it('moves each text and color with its answer, and leaves the results as they are', async () => {
    const answers = FIVE.map((answer, index) => ({ answer, color: `#00${index}0ff` }));
    const { id, poll } = await createWith({ answer_order: 'random', answers });
    for (let voters = 0; voters < 5; voters += 1) {
      const { body } = await site.visitor().get(`/${id}`);
      for (const [index, answer] of poll.answers.entries())
        expect(body).toMatch(
          new RegExp(
            `color-${index + 1}" dir=auto><input [^>]*value="${answer.id}"[^>]*><span>${answer.text}<`,
          ),
        );
      const rows = [...body.matchAll(/data-answer="([\w-]+)"/g)].map(([, id]) => id);
      expect(rows).toEqual(poll.answers.map(answer => answer.id));
    }
  });

  it('given: is that of the poll', async () => {
    const { id, poll } = await createWith({});
    expect(orderIn((await site.visitor().get(`/${id}`)).body)).toEqual(poll.answers.map(answer => answer.id));
  });
});
