import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fields, Visitor } from './visitor.ts';
import { visibleText } from './visitor.ts';
import { readSecret, startVotingSite, type TestPoll, type VotingSite } from './voting-site.ts';

const UNUSED_PROVIDER = { issuer: 'https://nobody.test', clientId: 'x', clientSecret: 'y', name: 'Nobody' };

let nowMs = Date.now();
let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite({ clock: () => nowMs, oidc: UNUSED_PROVIDER });
});
afterAll(() => site.close());

async function vote(visitor: Visitor, { id, poll }: TestPoll, form: Fields) {
  return visitor.post(`/${id}/ballot`, { ...form, answer: poll.answers[0]!.id });
}

describe('the proof of work', () => {
  it('is worth nothing for another voter, in another poll, or tampered with', async () => {
    const [one, other] = [await site.createPoll({ mip: true }), await site.createPoll({ mip: true })];
    const [visitor, stranger] = [site.visitor(), site.visitor()];
    const form = await visitor.fillForm(one.id);
    const strange = await stranger.fillForm(one.id);
    const foreign = await visitor.fillForm(other.id);
    const payload = JSON.parse(form['proof'] as string);
    const cheaper = {
      ...payload,
      challenge: {
        ...payload.challenge,
        parameters: { ...payload.challenge.parameters, cost: 1, keyPrefix: '00' },
      },
    };
    const wrong = { ...payload, solution: { ...payload.solution, derivedKey: '00'.repeat(32) } };
    const elsewhere = structuredClone(payload);
    elsewhere.challenge.parameters.data.poll = other.id;
    const tries = [
      await vote(stranger, one, { ...strange, proof: form['proof']! }),
      await vote(visitor, other, { ...foreign, proof: form['proof']! }),
      await vote(visitor, other, { ...foreign, proof: JSON.stringify(elsewhere) }),
      await vote(visitor, one, { ...form, proof: JSON.stringify(cheaper) }),
      await vote(visitor, one, { ...form, proof: JSON.stringify(wrong) }),
      await vote(visitor, one, { ...form, proof: 'no JSON' }),
      await vote(visitor, one, { ...form, proof: '{"challenge":null}' }),
    ];
    for (const reply of tries) {
      expect(reply.statusCode).toBe(400);
      expect(visibleText(reply.body)).toContain('The check that you’re human failed');
    }
    expect((await site.counts(one.id)).voters + (await site.counts(other.id)).voters).toBe(0);
    expect((await vote(visitor, one, form)).statusCode).toBe(303);
  });

  it('is good for one ballot of its voter, wherever that comes from and whatever else is new about it', async () => {
    const test = await site.createPoll({ mip: true });
    const visitor = site.visitor();
    const form = await visitor.fillForm(test.id);
    const secret = await readSecret(site.engine);
    const voter = secret.unseal('voter', visitor.cookie('voter'))!;
    const posts = Array.from({ length: 20 }, (_, n) => {
      const twin = site.visitor();
      for (const [key, cookie] of visitor.cookies) twin.cookies.set(key, cookie);
      const ballot = secret.seal('ballot', `form ${n}`, test.id, voter);
      return twin.post(`/${test.id}/ballot`, { ...form, ballot, answer: test.poll.answers[n % 2]!.id });
    });
    const statuses = (await Promise.all(posts)).map(({ statusCode }) => statusCode);
    expect(statuses.filter(status => status === 303)).toHaveLength(1);
    expect(statuses.filter(status => status === 409)).toHaveLength(19);
    expect((await site.counts(test.id)).voters).toBe(1);
  });

  it('is asked for in words where it is missing', async () => {
    const test = await site.createPoll();
    const visitor = site.visitor();
    const reply = await vote(visitor, test, { ...(await visitor.fillForm(test.id)), proof: '' });
    expect(reply.statusCode).toBe(400);
    expect(visibleText(reply.body)).toContain('The check needs JavaScript');
  });

  it('expires, and the page comes back with a new one and the choice', async () => {
    const test = await site.createPoll();
    const visitor = site.visitor();
    const form = await visitor.fillForm(test.id);
    nowMs += 601_000;
    const reply = await vote(visitor, test, form);
    expect(reply.statusCode).toBe(400);
    expect(visibleText(reply.body)).toContain('This page was open too long');
    expect(reply.body).toContain(`value="${test.poll.answers[0]!.id}" checked`);
    expect((await site.counts(test.id)).voters).toBe(0);
  });

  it('can be asked for anew by a page that is open for long', async () => {
    const { id } = await site.createPoll();
    const visitor = site.visitor();
    await visitor.get(`/${id}`);
    const reply = await visitor.get(`/${id}/challenge`);
    expect(reply.statusCode).toBe(200);
    expect(reply.headers['cache-control']).toBe('private, no-store');
    expect(reply.json().parameters.data.poll).toBe(id);
  });
});

describe('one proof for many accounts that share a browser', () => {
  // Each account is a voter of its own, and the address does not matter: only the proof stands between them and the count.
  it('is accepted exactly once of fifty at the same time, and the others are told', async () => {
    const test = await site.createPoll({ mip: true, only_reg: true });
    const visitor = site.visitor();
    await visitor.get(`/${test.id}`);
    const secret = await readSecret(site.engine);
    const voter = secret.unseal('voter', visitor.cookie('voter'))!;
    const signIn = (account: string) =>
      visitor.setCookie('account', secret.seal('account', `${account}:${nowMs + 60_000}`, voter));
    signIn('account 0');
    const { proof } = await visitor.fillForm(test.id);
    const posts = Array.from({ length: 50 }, (_, n) => {
      signIn(`account ${n}`);
      const ballot = secret.seal('ballot', `form ${n}`, test.id, voter);
      return visitor.post(`/${test.id}/ballot`, { ballot, proof: proof!, answer: test.poll.answers[0]!.id });
    });
    const replies = await Promise.all(posts);
    const refused = replies.filter(reply => reply.statusCode === 409);
    expect(replies.filter(reply => reply.statusCode === 303)).toHaveLength(1);
    expect(refused).toHaveLength(49);
    for (const reply of refused) expect(visibleText(reply.body)).toContain('Please vote again');
    expect((await site.counts(test.id)).voters).toBe(1);
    signIn('account 99');
    const fresh = await visitor.fillForm(test.id);
    const late = await visitor.post(`/${test.id}/ballot`, {
      ...fresh,
      proof: proof!,
      answer: test.poll.answers[0]!.id,
    });
    expect(late.statusCode).toBe(409);
    expect((await vote(visitor, test, await visitor.fillForm(test.id))).statusCode).toBe(303);
  });
});
