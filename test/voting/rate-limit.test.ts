import { afterEach, describe, expect, it } from 'vitest';
import { heldClock } from '../support/held-clock.ts';
import { fieldValue, type Visitor, visibleText } from './visitor.ts';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let site: VotingSite;
afterEach(() => site.close());

describe('limits of ballots', () => {
  it('count voters, not addresses', async () => {
    site = await startVotingSite({ clock: heldClock(), rateLimits: { ballots: 2 } });
    const { id, poll } = await site.createPoll({ mip: true });
    const answer = poll.answers[0]!.id;
    for (let n = 0; n < 10; n += 1)
      expect((await site.visitor({ address: '203.0.113.1' }).vote(id, answer)).statusCode).toBe(303);
    expect((await site.counts(id)).voters).toBe(10);
  });

  it('apply to one voter at any address, with a page and Retry-After', async () => {
    site = await startVotingSite({ clock: heldClock(), rateLimits: { ballots: 2 } });
    const { id, poll } = await site.createPoll({ mip: true });
    const answer = poll.answers[0]!.id;
    const visitor = site.visitor();
    const form = await visitor.fillForm(id);
    const send = (address: string) => {
      visitor.address = address;
      return visitor.post(`/${id}/ballot`, { ...form, answer });
    };
    expect([(await send('10.1.1.1')).statusCode, (await send('10.1.1.2')).statusCode]).toEqual([303, 303]);
    const refused = await send('10.1.1.3');
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(visibleText(refused.body)).toContain('Too many requests');
    expect((await site.counts(id)).voters).toBe(1);
  });
});

describe('limits of comments', () => {
  it('count voters, so a whole hall may comment within a minute', async () => {
    site = await startVotingSite({ clock: heldClock(), rateLimits: { comments: 2 } });
    const { id, poll } = await site.createPoll({ mip: true, co: true });
    const address = '203.0.113.1';
    const comment = async (visitor: Visitor) => {
      const token = fieldValue((await visitor.get(`/${id}`)).body, 'comment')!;
      return (await visitor.post(`/${id}/comments`, { comment: token, text: 'Bravo!' })).statusCode;
    };
    const voters = Array.from({ length: 12 }, () => site.visitor({ address }));
    for (const voter of voters) {
      await voter.vote(id, poll.answers[0]!.id);
      expect(await comment(voter)).toBe(303);
    }
    const [busy, other] = voters as [Visitor, Visitor];
    busy.address = '203.0.113.2';
    expect([await comment(busy), await comment(busy), await comment(other)]).toEqual([303, 429, 303]);
    expect(await site.engine.comments.list(id)).toHaveLength(14);
  });
});

describe('limits of one address', () => {
  it('count wrong keys on manage pages, and never the right one', async () => {
    site = await startVotingSite({ clock: heldClock(), rateLimits: { keys: 3 } });
    const { id, adminKey } = await site.createPoll();
    const address = '203.0.113.1';
    const open = async (key: string) => {
      const reply = await site.visitor({ address }).post(`/${id}/manage/key`, { key });
      return [reply.statusCode, reply.headers['retry-after'] !== undefined];
    };
    for (let n = 0; n < 3; n += 1) expect(await open(`admin_guess${n}`)).toEqual([403, false]);
    expect(await open('admin_guess4')).toEqual([429, true]);
    expect(await open(adminKey)).toEqual([303, false]);
  });

  it("count wrong operator's keys on the form for polls, and polls by visitor where a key is required", async () => {
    const key = 'operator-key-of-16';
    site = await startVotingSite({
      clock: heldClock(),
      operatorKeys: [key],
      createRequiresKey: true,
      rateLimits: { keys: 2, creates: 2 },
    });
    const address = '203.0.113.1';
    const create = async (given: string) => {
      const visitor = site.visitor({ address });
      const once = fieldValue((await visitor.get('/new')).body, 'once')!;
      const form = { once, title: 'Lunch?', answer: ['Soup', 'Salad'], mip: '0', key: given };
      return (await visitor.post('/new', form)).statusCode;
    };
    expect([await create('wrong'), await create('wrong'), await create('wrong')]).toEqual([403, 403, 429]);
    for (let n = 0; n < 4; n += 1) expect(await create(key)).toBe(303);
  });

  it('count polls where none needs a key', async () => {
    site = await startVotingSite({ clock: heldClock(), rateLimits: { creates: 2 } });
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const visitor = site.visitor({ address: '203.0.113.1' });
      await visitor.get('/new');
      statuses.push((await visitor.post('/new', { more: '1' })).statusCode);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });
});
