import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { engineWith } from '../../src/engine/engine-with.ts';
import { refusals } from '../../src/metrics/catalogue.ts';
import { PollError } from '../../src/poll/poll-error.ts';
import { pointShow } from '../support/point-show.ts';
import { solveForm, solveTask, visibleText } from './visitor.ts';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite();
});
afterAll(() => site.close());

describe('the script of the form', () => {
  const script = { accept: 'application/json' };

  it('gets the page of a rejection, which is counted once', async () => {
    const { id, poll } = await site.createPoll();
    const visitor = site.visitor();
    await visitor.vote(id, poll.answers[0]!.id);
    const other = site.visitor({ address: visitor.address });
    const form = { ...(await other.fillForm(id)), answer: poll.answers[1]!.id };
    const rejected = refusals.of({ surface: 'ballot', code: 'duplicate_address' });
    const before = rejected.value;
    const page = await other.post(`/${id}/ballot`, form, script);
    expect(page.statusCode).toBe(409);
    expect(visibleText(page.body)).toContain('There’s already a vote from your network');
    expect(rejected.value).toBe(before + 1);
  });

  it('gets Retry-After without an engine', async () => {
    const broken = await startVotingSite({ engine: withLostReply(site.engine) });
    const { id, poll } = await site.createPoll();
    const visitor = broken.visitor();
    const form = { ...(await visitor.fillForm(id)), answer: poll.answers[0]!.id };
    const lost = await visitor.post(`/${id}/ballot`, form, script);
    expect([lost.statusCode, lost.headers['retry-after']]).toEqual([503, '1']);
    expect((await visitor.post(`/${id}/ballot`, form, script)).json()).toMatchObject({ counted: true });
    expect((await site.counts(id)).voters).toBe(1);
    await broken.close();
  });
});

describe('an upcoming poll', () => {
  it('shows its title and none of its answers anywhere', async () => {
    const { id, poll } = await site.createPoll({ status: 'upcoming', only_reg: true, co: true });
    const visitor = site.visitor();
    const pages = [
      await visitor.get(`/${id}`),
      await visitor.get(`/${id}?show=no-such-show`),
      await visitor.get(`/${id}/state`),
      await visitor.post(`/${id}/ballot`, { answer: poll.answers[0]!.id }),
      await visitor.post(`/${id}/comments`, { text: '' }),
      await visitor.get('/'),
    ];
    expect(pages[0]!.body).toMatch(/Which song next.*Voting hasn’t started yet/s);
    for (const { body } of pages)
      for (const { id: answer, text } of poll.answers) {
        expect(body).not.toContain(text);
        expect(body).not.toContain(`data-answer="${answer}"`);
      }
  });

  it('rejects ballots, and counts the same form with a task once it is open', async () => {
    const { id, poll } = await site.createPoll({ status: 'upcoming' });
    const visitor = site.visitor();
    await pointShow(site.engine, 'too-early', id);
    const onAir = await visitor.get(`/${id}?show=too-early`);
    const form = { ...(await solveForm(onAir.body)), answer: poll.answers[0]!.id };
    const early = await visitor.post(`/${id}/ballot`, form);
    expect(early.statusCode).toBe(409);
    expect(visibleText(early.body)).toContain('Your vote wasn’t counted. Press Vote once voting starts');
    expect(await site.counts(id)).toEqual({ votes: [0, 0, 0], voters: 0 });
    await site.engine.polls.change(id, { closed: false });
    const proof = await solveTask((await visitor.get(`/${id}/challenge`)).body);
    expect((await visitor.post(`/${id}/ballot`, { ...form, proof })).statusCode).toBe(303);
    expect(await site.counts(id)).toEqual({ votes: [1, 0, 0], voters: 1 });
  });

  it('is marked in the list of polls', async () => {
    const { poll } = await site.createPoll({ status: 'upcoming', title: 'A poll of tomorrow' });
    const list = visibleText((await site.visitor().get('/')).body);
    expect(list).toMatch(new RegExp(`${poll.title}\\s+Voting hasn’t started yet`));
  });
});

describe('a retry', () => {
  it('with another answer is rejected: the first one counts', async () => {
    const { id, poll } = await site.createPoll();
    const visitor = site.visitor();
    const form = await visitor.fillForm(id);
    await visitor.post(`/${id}/ballot`, { ...form, answer: poll.answers[0]!.id });
    const changed = await visitor.post(`/${id}/ballot`, { ...form, answer: poll.answers[1]!.id });
    expect(changed.statusCode).toBe(409);
    expect(visibleText(changed.body)).toContain('Your earlier vote counts');
    expect(visibleText(changed.body)).toContain('You chose Waterloo .');
    expect(await site.counts(id)).toEqual({ votes: [1, 0, 0], voters: 1 });
  });

  it('after the close still shows that the first try was counted', async () => {
    const { id, poll } = await site.createPoll();
    const visitor = site.visitor();
    const form = { ...(await visitor.fillForm(id)), answer: poll.answers[0]!.id };
    await visitor.post(`/${id}/ballot`, form);
    await site.engine.polls.change(id, { closed: true });
    expect((await visitor.post(`/${id}/ballot`, form)).statusCode).toBe(303);
  });
});

describe('an invalid ballot', () => {
  it.each([
    ['without an answer', { answer: [] }, 400, 'Choose an answer first'],
    ['with two answers where one is taken', { answer: [0, 1] }, 400, 'Choose only one answer'],
    ['with an answer of another poll', { answer: ['foreign'] }, 400, 'isn’t in this poll'],
  ])('%s keeps the choice and says what to do', async (_, { answer }, status, words) => {
    const { id, poll } = await site.createPoll();
    const visitor = site.visitor();
    const chosen = answer.map(one => (typeof one === 'number' ? poll.answers[one]!.id : one));
    const reply = await visitor.vote(id, chosen);
    expect(reply.statusCode).toBe(status);
    expect(visibleText(reply.body)).toContain(words);
    expect(visibleText(reply.body)).toContain('Your vote wasn’t counted yet');
    for (const one of answer)
      if (typeof one === 'number') expect(reply.body).toContain(`value="${poll.answers[one]!.id}" checked`);
    expect(await site.counts(id)).toEqual({ votes: [0, 0, 0], voters: 0 });
  });

  it('keeps its ballot id, so that a retry cannot count twice', async () => {
    const { id, poll } = await site.createPoll();
    const visitor = site.visitor();
    const form = await visitor.fillForm(id);
    const refused = await visitor.post(`/${id}/ballot`, { ...form, proof: '', answer: poll.answers[0]!.id });
    expect(refused.statusCode).toBe(400);
    const second = await solveForm(refused.body);
    expect(second['ballot']).toBe(form['ballot']);
    expect((await visitor.post(`/${id}/ballot`, { ...second, answer: poll.answers[0]!.id })).statusCode).toBe(
      303,
    );
  });

  it('after the close is rejected, which its page says once', async () => {
    const { id, poll } = await site.createPoll();
    const visitor = site.visitor();
    const form = await visitor.fillForm(id);
    await site.engine.polls.change(id, { closed: true });
    const reply = await visitor.post(`/${id}/ballot`, { ...form, answer: poll.answers[0]!.id });
    expect(reply.statusCode).toBe(409);
    expect(visibleText(reply.body)).toContain('Your vote arrived too late and wasn’t counted');
    expect(visibleText(reply.body).match(/Voting has ended/g)).toHaveLength(1);
    expect(reply.body).not.toContain('<form class="vote"');
  });
});

describe('an engine that loses its reply', () => {
  it('leads to a page that keeps the whole form, and its retry shows the outcome', async () => {
    const { id, poll } = await site.createPoll();
    const lost = await startVotingSite({ engine: withLostReply(site.engine) });
    const visitor = lost.visitor();
    const form = { ...(await visitor.fillForm(id)), answer: poll.answers[1]!.id };
    const reply = await visitor.post(`/${id}/ballot`, form);
    expect(reply.statusCode).toBe(503);
    expect(reply.headers['retry-after']).toBe('1');
    expect(visibleText(reply.body)).toContain('Your vote may not have been counted yet');
    const kept = Object.fromEntries(
      [...reply.body.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
        name!,
        value!.replaceAll('&quot;', '"'),
      ]),
    );
    expect(kept).toEqual(form);
    expect((await visitor.post(`/${id}/ballot`, kept)).statusCode).toBe(303);
    expect(await site.counts(id)).toEqual({ votes: [0, 1, 0], voters: 1 });
    await lost.close();
  });
});

/** Counts the first ballot and loses the reply. */
function withLostReply(engine: Engine): Engine {
  let lost = false;
  const cast: Engine['castBallot'] = async ballot => {
    const receipt = await engine.castBallot(ballot);
    if (lost) return receipt;
    lost = true;
    throw new PollError('engine_unavailable');
  };
  return engineWith(engine, { polls: { cast } });
}
