import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../support/free-port.ts';
import { ProviderSession, TestProvider } from './test-provider.ts';
import { type Visitor, visibleText } from './visitor.ts';
import { type LiveSite, readSecret, startLiveSite, startVotingSite } from './voting-site.ts';

let provider: TestProvider;
let site: LiveSite;
let nowMs = Date.now();
beforeAll(async () => {
  provider = await TestProvider.start();
  site = await startLiveSite({ oidc: provider.options, clock: () => nowMs });
  provider.admit(site.url);
});
afterAll(async () => {
  await site.close();
  await provider.close();
});

async function signIn(visitor: Visitor, pollId: string, name: string, { url } = site): Promise<void> {
  const leaving = await visitor.get(`/sign-in?poll=${pollId}`);
  expect(leaving.statusCode).toBe(303);
  const back = await new ProviderSession().signIn(String(leaving.headers.location), name);
  const reply = await visitor.get(back.slice(url.length));
  expect(reply.statusCode).toBe(303);
  expect(reply.headers.location).toBe(`/${pollId}`);
}

const newVisitor = () => site.visitor({ origin: site.url });

describe('a poll for signed-in people', () => {
  it('reports a provider that is down, and works once it is up', async () => {
    const late = await TestProvider.start();
    const own = await startLiveSite({ oidc: late.options });
    onTestFinished(async () => {
      await own.close();
      await late.close();
    });
    const { id } = await own.createPoll({ only_reg: true, mip: true });
    const visitor = own.visitor({ origin: own.url });
    const down = await visitor.get(`/sign-in?poll=${id}`);
    expect(down.statusCode).toBe(503);
    expect(visibleText(down.body)).toContain('Sign-in is unavailable right now');
    late.admit(own.url);
    await signIn(visitor, id, 'early bird', own);
  });

  it('offers sign-in with PKCE, state and nonce, and then the form', async () => {
    const { id, poll } = await site.createPoll({ only_reg: true, mip: true });
    const visitor = newVisitor();
    const before = (await visitor.get(`/${id}`)).body;
    expect(visibleText(before)).toContain('Sign in with Example ID');
    expect(before).not.toContain('<form class="vote"');
    await signIn(visitor, id, 'alice');
    const asked = provider.asked.at(-1)!;
    expect(asked.get('code_challenge_method')).toBe('S256');
    expect(asked.get('response_type')).toBe('code');
    for (const name of ['code_challenge', 'state', 'nonce']) expect(asked.get(name)).toMatch(/^[\w-]{40,}$/);
    expect((await visitor.vote(id, poll.answers[0]!.id)).statusCode).toBe(303);
    expect(visibleText((await visitor.get(`/${id}`)).body)).toContain('Your vote has been counted');
  });

  it('is signed in to below the path of the public URL', async () => {
    const own = await TestProvider.start();
    const port = await findFreePort();
    const voteUrl = `http://127.0.0.1:${port}/polls`;
    const below = await startVotingSite({ oidc: own.options, voteUrl });
    onTestFinished(async () => {
      await below.close();
      await own.close();
    });
    own.admit(voteUrl);
    await below.server.listen({ host: '127.0.0.1', port });
    const { id } = await below.createPoll({ only_reg: true, mip: true });
    const leaving = await fetch(`${voteUrl}/sign-in?poll=${id}`, { redirect: 'manual' });
    const cookies = leaving.headers.getSetCookie();
    expect(cookies.join()).toContain('Path=/polls/sign-in/callback');
    const back = await new ProviderSession().signIn(String(leaving.headers.get('location')), 'alice');
    expect(back).toContain(`${voteUrl}/sign-in/callback?`);
    const headers = { cookie: cookies.map(text => text.split(';')[0]).join('; ') };
    const reply = await fetch(back, { redirect: 'manual', headers });
    expect([reply.status, reply.headers.get('location')]).toEqual([303, `/polls/${id}`]);
  });

  it('accepts one ballot per account, from any browser', async () => {
    const { id, poll } = await site.createPoll({ only_reg: true, mip: true });
    const answer = poll.answers[1]!.id;
    const formOf = async (name: string) => {
      const visitor = newVisitor();
      await signIn(visitor, id, name);
      const form = await visitor.fillForm(id);
      return () => visitor.post(`/${id}/ballot`, { ...form, answer });
    };
    const [bob, sameBob, carol] = [await formOf('bob'), await formOf('bob'), await formOf('carol')];
    expect((await bob()).statusCode).toBe(303);
    const rejected = await sameBob();
    expect([rejected.statusCode, (await carol()).statusCode]).toEqual([409, 303]);
    const later = newVisitor();
    await signIn(later, id, 'bob');
    for (const { body } of [rejected, await later.get(`/${id}`)]) {
      expect(visibleText(body)).toContain('You’ve already voted with this account');
      expect(body).not.toContain('name="answer"');
    }
    expect(await site.counts(id)).toEqual({ votes: [0, 2, 0], voters: 2 });
  });

  it('stores a keyed hash, and the subject nowhere', async () => {
    const { id, poll } = await site.createPoll({ only_reg: true, mip: true });
    const visitor = newVisitor();
    await signIn(visitor, id, 'dorothea');
    const cookies = [...visitor.cookies.values()].map(({ value }) => decodeURIComponent(value)).join(' ');
    expect(cookies).not.toContain('dorothea');
    expect(Buffer.from(cookies, 'base64').toString()).not.toContain('dorothea');
    const form = await visitor.fillForm(id);
    const reply = await visitor.post(`/${id}/ballot`, { ...form, answer: poll.answers[0]!.id });
    expect(reply.statusCode).toBe(303);
    const stored = [];
    for await (const batch of site.engine.polls.readBallots(id)) stored.push(JSON.stringify(batch));
    expect(stored.join()).not.toContain('dorothea');
  });

  it('rejects a ballot after signing out, and after the session expired', async () => {
    const { id, poll } = await site.createPoll({ only_reg: true, mip: true });
    const visitor = newVisitor();
    await signIn(visitor, id, 'erin');
    const form = { ...(await visitor.fillForm(id)), answer: poll.answers[0]!.id };
    expect((await visitor.get(`/${id}`)).body).toContain('action="/sign-out"');
    const out = await visitor.post('/sign-out', { poll: id });
    expect(out.headers.location).toBe(`/${id}`);
    const reply = await visitor.post(`/${id}/ballot`, form);
    expect(reply.statusCode).toBe(403);
    expect(visibleText(reply.body)).toContain('Your vote wasn’t counted yet. Sign in');
    await signIn(visitor, id, 'erin');
    nowMs += 12 * 3_600_000 + 1;
    expect((await visitor.get(`/${id}`)).body).not.toContain('<form class="vote"');
    expect((await site.counts(id)).voters).toBe(0);
  });
});

describe('the callback of the provider', () => {
  it('is rejected for another browser, another flow, and without a flow', async () => {
    const { id } = await site.createPoll({ only_reg: true, mip: true });
    const [victim, attacker] = [newVisitor(), newVisitor()];
    await victim.get(`/${id}`);
    const leaving = await attacker.get(`/sign-in?poll=${id}`);
    const back = await new ProviderSession().signIn(String(leaving.headers.location), 'mallory');
    const path = back.slice(site.url.length);
    expect((await victim.get(path)).statusCode).toBe(400);
    // Also with the attacker's cookie of the flow in the victim's browser.
    victim.setCookie('sign-in', attacker.cookie('sign-in')!, '/sign-in/callback');
    const planted = await victim.get(path);
    expect(planted.statusCode).toBe(400);
    expect(visibleText(planted.body)).toContain('You’re not signed in');
    expect(victim.cookie('account')).toBeUndefined();
    await victim.get(`/sign-in?poll=${id}`);
    expect((await victim.get(path)).statusCode).toBe(400);
    expect(victim.cookie('account')).toBeUndefined();
  });

  it('is rejected after ten minutes', async () => {
    const { id } = await site.createPoll({ only_reg: true, mip: true });
    const visitor = newVisitor();
    const leaving = await visitor.get(`/sign-in?poll=${id}`);
    const back = await new ProviderSession().signIn(String(leaving.headers.location), 'late');
    nowMs += 600_001;
    expect((await visitor.get(back.slice(site.url.length))).statusCode).toBe(400);
  });

  it('redirects to polls only', async () => {
    for (const poll of ['', 'https://evil.test', '//evil.test', 'abc'])
      expect((await newVisitor().get(`/sign-in?poll=${encodeURIComponent(poll)}`)).statusCode).toBe(404);
  });
});

describe('an account cookie', () => {
  it('is ignored if it was forged or belongs to another voter', async () => {
    const { id } = await site.createPoll({ only_reg: true, mip: true });
    const [visitor, other] = [newVisitor(), newVisitor()];
    await signIn(visitor, id, 'frank');
    await other.get(`/${id}`);
    for (const forged of [
      visitor.cookie('account')!,
      `x:${nowMs + 1e6}.AAAA`,
      (await readSecret(site.engine)).seal('voter', 'x'),
    ]) {
      other.setCookie('account', forged);
      expect((await other.get(`/${id}`)).body).not.toContain('<form class="vote"');
    }
  });
});
