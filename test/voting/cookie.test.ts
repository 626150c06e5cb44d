import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CookieJar } from '../../src/pages/voter/cookie-jar.ts';
import { visibleText } from './visitor.ts';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite();
});
afterAll(() => site.close());

describe('the voter cookie', () => {
  it('is HttpOnly and SameSite', async () => {
    const { id } = await site.createPoll();
    const reply = await site.visitor().get(`/${id}`);
    expect(reply.cookies).toEqual([
      expect.objectContaining({ name: 'tallycast-voter', path: '/', httpOnly: true, sameSite: 'Lax' }),
    ]);
  });

  it('is bound to its host on HTTPS', async () => {
    const secure = await startVotingSite({ engine: site.engine, voteUrl: 'https://vote.test' });
    const { id } = await site.createPoll();
    const reply = await secure.visitor().get(`/${id}`);
    expect(reply.cookies).toEqual([
      expect.objectContaining({ name: '__Host-tallycast-voter', path: '/', secure: true, httpOnly: true }),
    ]);
    expect(reply.headers['strict-transport-security']).toBe('max-age=15552000');
    await secure.close();
  });

  // Browsers drop a `__Host-` cookie with any other path.
  it('is bound to the path of a front end that shares its host', () => {
    expect(new CookieJar('https://vote.test/polls').voterHeader('x', 60)).toBe(
      '__Secure-tallycast-voter=x; Max-Age=60; Path=/polls; HttpOnly; Secure; SameSite=Lax',
    );
  });

  it('is replaced if it was forged, and the form is rejected', async () => {
    const { id, poll } = await site.createPoll({ mip: true });
    const visitor = site.visitor();
    const form = await visitor.fillForm(id);
    const sealed = visitor.cookie('voter')!;
    for (const forged of [
      'made-up.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      `x${sealed}`,
      sealed.slice(0, -1),
      '.',
      '',
    ]) {
      visitor.setCookie('voter', forged);
      const reply = await visitor.post(`/${id}/ballot`, { ...form, answer: poll.answers[0]!.id });
      expect(reply.statusCode).toBe(400);
      expect(visibleText(reply.body)).toContain('Cookies are blocked');
      expect(visitor.cookie('voter')).not.toBe(forged);
    }
    expect((await site.counts(id)).voters).toBe(0);
  });

  it('must belong to the form: another voter cannot spend its ballot id', async () => {
    const { id, poll } = await site.createPoll({ mip: true });
    const [victim, thief] = [site.visitor(), site.visitor()];
    const stolen = await victim.fillForm(id);
    await thief.get(`/${id}`);
    const theft = await thief.post(`/${id}/ballot`, { ...stolen, answer: poll.answers[0]!.id });
    expect(theft.statusCode).toBe(400);
    expect(visibleText(theft.body)).toContain('This form has expired');
    const vote = await victim.post(`/${id}/ballot`, { ...stolen, answer: poll.answers[1]!.id });
    expect(vote.statusCode).toBe(303);
    expect(await site.counts(id)).toEqual({ votes: [0, 1, 0], voters: 1 });
  });
});

describe('the receipt', () => {
  it('is ignored if it belongs to another voter or poll, or was forged', async () => {
    const [one, other] = [await site.createPoll({ mip: true }), await site.createPoll({ mip: true })];
    const [visitor, stranger] = [site.visitor(), site.visitor()];
    await visitor.vote(one.id, one.poll.answers[0]!.id);
    const receipt = visitor.cookie('receipt')!;
    expect(visibleText((await visitor.get(`/${one.id}`)).body)).toContain('Your vote has been counted');
    await stranger.get(`/${one.id}`);
    stranger.setCookie('receipt', receipt, `/${one.id}`);
    expect(visibleText((await stranger.get(`/${one.id}`)).body)).not.toContain('Your vote has been counted');
    visitor.setCookie('receipt', receipt, `/${other.id}`);
    expect(visibleText((await visitor.get(`/${other.id}`)).body)).not.toContain('Your vote has been counted');
    visitor.setCookie(
      'receipt',
      receipt.replace(/^./, first => (first === '1' ? '2' : '1')),
      `/${one.id}`,
    );
    expect(visibleText((await visitor.get(`/${one.id}`)).body)).not.toContain('Your vote has been counted');
  });
});
