// @module-tag redis-server
import { beforeAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { redisRig } from '../support/redis-rig.ts';
import { ProviderSession, TestProvider } from './test-provider.ts';
import { fieldValue, type Visitor, visibleText } from './visitor.ts';
import { readSecret, reword, startVotingSite, VOTE_URL, type VotingSite } from './voting-site.ts';

const rig = redisRig('file');
let sites: [VotingSite, VotingSite];
beforeAll(async () => {
  const { url } = await rig.start();
  const provider = await TestProvider.start();
  rig.closeAfter(() => provider.close());
  provider.admit(VOTE_URL);
  const open = async () => {
    const engine = await openEngine({ redisUrl: url });
    rig.closeAfter(() => engine.close());
    const site = await startVotingSite({ engine, oidc: provider.options });
    rig.closeAfter(() => site.close());
    return site;
  };
  sites = [await open(), await open()];
});

/** The same browser at the other front end. */
function twin(visitor: Visitor, site: VotingSite): Visitor {
  const other = site.visitor({ address: visitor.address });
  for (const [key, cookie] of visitor.cookies) other.cookies.set(key, cookie);
  return other;
}

describe('two front ends on one Redis', () => {
  it('count a form that is sent to both once, with the same outcome', async () => {
    const { id, poll } = await sites[0].createPoll();
    const visitor = sites[0].visitor();
    const form = { ...(await visitor.fillForm(id)), answer: poll.answers[1]!.id };
    const other = twin(visitor, sites[1]);
    const replies = await Promise.all(
      [visitor, other, visitor, other].map(one => one.post(`/${id}/ballot`, form)),
    );
    expect(replies.map(reply => reply.statusCode)).toEqual([303, 303, 303, 303]);
    expect(await sites[1].counts(id)).toEqual({ votes: [0, 1, 0], voters: 1 });
    expect(visibleText((await twin(visitor, sites[1]).get(`/${id}`)).body)).toContain('You chose Volare .');
  });

  it('accept one proof of work once of forty concurrent tries', async () => {
    const { id, poll } = await sites[0].createPoll({ mip: true, only_reg: true });
    const secret = await readSecret(sites[0].engine);
    const visitor = sites[0].visitor();
    await visitor.get(`/${id}`);
    const voter = secret.unseal('voter', visitor.cookie('voter'))!;
    const asAccount = (n: number) => {
      const one = twin(visitor, sites[n % 2]!);
      one.setCookie('account', secret.seal('account', `account ${n}:${Date.now() + 60_000}`, voter));
      return one;
    };
    const { proof } = await asAccount(0).fillForm(id);
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, n) => {
        const ballot = secret.seal('ballot', `form ${n}`, id, voter);
        return asAccount(n).post(`/${id}/ballot`, { ballot, proof: proof!, answer: poll.answers[0]!.id });
      }),
    );
    expect(replies.filter(reply => reply.statusCode === 303)).toHaveLength(1);
    const rejected = replies.filter(reply => reply.statusCode === 409);
    expect(rejected).toHaveLength(39);
    for (const { body } of rejected) expect(visibleText(body)).toContain('Please vote again');
    expect((await sites[0].counts(id)).voters).toBe(1);
  });

  it('count a vote for an answer that a correction added after one of them read the poll', async () => {
    const made = await sites[0].createPoll();
    const { id, poll } = made;
    // Both know the old answers.
    const early = sites[1].visitor();
    const stale = { ...(await early.fillForm(id)), answer: poll.answers[2]!.id };
    const visitor = sites[0].visitor();
    await visitor.get(`/${id}`);
    const [first, second] = poll.answers;
    await reword(sites[0], id, { answers: [second!, { text: 'Added' }, first!] });
    const form = await visitor.fillForm(id);
    const added = (await sites[0].engine.polls.find(id))!.poll.answers[1]!;
    const other = twin(visitor, sites[1]);
    expect((await other.post(`/${id}/ballot`, { ...form, answer: added.id })).statusCode).toBe(303);
    for (const site of sites)
      expect(visibleText((await twin(other, site).get(`/${id}`)).body)).toContain('You chose Added .');
    const rejected = await early.post(`/${id}/ballot`, stale);
    expect(rejected.statusCode).toBe(400);
    expect(rejected.body).not.toContain(poll.answers[2]!.id);
    expect(await sites[1].counts(id)).toEqual({ votes: [0, 1, 0], voters: 1 });
  });

  it('complete a sign-in that started at the other', async () => {
    const { id, poll } = await sites[0].createPoll({ only_reg: true, mip: true });
    const visitor = sites[0].visitor();
    const leaving = await visitor.get(`/sign-in?poll=${id}`);
    const back = await new ProviderSession().signIn(String(leaving.headers.location), 'ada');
    const other = twin(visitor, sites[1]);
    const returned = await other.get(back.slice(VOTE_URL.length));
    expect([returned.statusCode, returned.headers.location]).toEqual([303, `/${id}`]);
    const again = twin(other, sites[0]);
    expect((await again.vote(id, poll.answers[0]!.id)).statusCode).toBe(303);
    expect((await sites[1].counts(id)).voters).toBe(1);
  });

  it('share comments, sessions of creators and created polls', async () => {
    const { id, poll, adminKey } = await sites[0].createPoll({ co: true });
    const visitor = sites[0].visitor();
    await visitor.vote(id, poll.answers[0]!.id);
    const comment = fieldValue((await visitor.get(`/${id}`)).body, 'comment')!;
    const send = (one: Visitor) => one.post(`/${id}/comments`, { comment, text: 'Hello' });
    await Promise.all([send(visitor), send(twin(visitor, sites[1]))]);
    expect(await sites[1].engine.comments.list(id)).toHaveLength(1);
    const creator = sites[0].visitor();
    await creator.post(`/${id}/manage/key`, { key: adminKey });
    const moved = twin(creator, sites[1]);
    await moved.post(`/${id}/manage/close`, {});
    expect(visibleText((await moved.get(`/${id}/manage`)).body)).toContain('You can reopen it at any time.');
    const once = fieldValue((await creator.get('/new')).body, 'once')!;
    const draft = { once, title: 'Lunch?', answer: ['Soup', 'Salad'], mip: '1' };
    const replies = await Promise.all([creator.post('/new', draft), moved.post('/new', draft)]);
    expect(replies[0].headers.location).toMatch(/manage$/);
    expect(replies[0].headers.location).toBe(replies[1].headers.location);
  });
});
