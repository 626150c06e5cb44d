import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueBallotToken } from '../../src/audience/vote/ballot-box.ts';
import { engineWith } from '../../src/engine/engine-with.ts';
import { MAX_CHANGES } from '../../src/poll/ballot.ts';
import { PollError } from '../../src/poll/poll-error.ts';
import { type Fields, fieldValue, solveForm, solveTask, type Visitor, visibleText } from './visitor.ts';
import { readSecret, reword, startVotingSite, type VotingSite } from './voting-site.ts';

let site: VotingSite;
let nowMs = Date.now();
beforeAll(async () => {
  site = await startVotingSite({ clock: () => nowMs });
});
afterAll(() => site.close());

/** Opens the form that changes the vote, as the link on the page does. */
async function changeForm(visitor: Visitor, id: string): Promise<{ body: string; fields: Fields }> {
  const { body } = await visitor.get(`/${id}?change`);
  return { body, fields: { ...(await solveForm(body)), change: fieldValue(body, 'change') ?? '' } };
}

function chosenIn(body: string): string[] {
  return [...body.matchAll(/name="answer" value="([^"]+)" checked/g)].map(([, id]) => id!);
}

async function votedIn(draft: Record<string, unknown> = { change_vote: true }) {
  const { id, poll } = await site.createPoll(draft);
  const visitor = site.visitor();
  const answers = poll.answers.map(answer => answer.id) as [string, string, string];
  expect((await visitor.vote(id, answers[0])).statusCode).toBe(303);
  return { id, visitor, answers };
}

/** Loses the receipt, and sends a form from before the vote again. */
async function withoutReceipt(visitor: Visitor, id: string, answer: string) {
  for (const [key, { name }] of visitor.cookies) if (name.includes('receipt')) visitor.cookies.delete(key);
  const voter = (await readSecret(site.engine)).unseal('voter', visitor.cookie('voter'))!;
  const { poll } = (await site.engine.polls.find(id))!;
  const ballot = issueBallotToken(await readSecret(site.engine), poll, voter);
  const task = await visitor.get(`/${id}/challenge`);
  const proof = await solveTask(task.body);
  const rejected = await visitor.post(`/${id}/ballot`, { ballot, proof, answer });
  expect(rejected.statusCode).toBe(409);
  return { rejected, fresh: await changeForm(visitor, id) };
}

describe('a voter', () => {
  it('changes and withdraws a vote without a script, and votes again', async () => {
    const { id, visitor, answers } = await votedIn();
    const page = await visitor.get(`/${id}`);
    expect(page.body).toContain(`href="/${id}?change"`);
    const { body, fields } = await changeForm(visitor, id);
    expect(chosenIn(body)).toEqual([answers[0]]);
    expect(body).not.toMatch(/data-proof|<noscript><p class="notice/);
    expect((await visitor.post(`/${id}/ballot`, { ...fields, answer: answers[1] })).statusCode).toBe(303);
    expect(await site.counts(id)).toEqual({ votes: [0, 1, 0], voters: 1 });
    expect(visibleText((await visitor.get(`/${id}`)).body)).toContain('You chose Volare');

    const second = await changeForm(visitor, id);
    expect(second.body).toContain('name="withdraw"');
    await visitor.post(`/${id}/ballot`, { ...second.fields, answer: answers[1], withdraw: '1' });
    expect(await site.counts(id)).toEqual({ votes: [0, 0, 0], voters: 0 });
    const withdrawn = (await visitor.get(`/${id}`)).body;
    expect(visibleText(withdrawn)).toContain('You’ve withdrawn your vote');
    expect(chosenIn(withdrawn)).toEqual([]);
    expect(withdrawn).not.toContain('name="withdraw"');
    const again = { ...(await solveForm(withdrawn)), change: fieldValue(withdrawn, 'change') ?? '' };
    expect((await visitor.post(`/${id}/ballot`, { ...again, answer: answers[2] })).statusCode).toBe(303);
    expect(await site.counts(id)).toEqual({ votes: [0, 0, 1], voters: 1 });
  });

  it('who presses twice, retries or goes back to an earlier choice is counted as seen last', async () => {
    const { id, visitor, answers } = await votedIn();
    const { fields } = await changeForm(visitor, id);
    const send = (answer: string) => visitor.post(`/${id}/ballot`, { ...fields, answer });
    await Promise.all([send(answers[1]), send(answers[1])]);
    expect((await site.engine.polls.find(id))!.results).toMatchObject({ votes: [0, 1, 0], version: 3 });
    for (const answer of [answers[2], answers[1]]) {
      expect((await send(answer)).statusCode).toBe(303);
      const { votes } = await site.counts(id);
      expect(votes.indexOf(1)).toBe(answers.indexOf(answer));
      expect(chosenIn((await changeForm(visitor, id)).body)).toEqual([answer]);
    }
  });

  it('who lost the reply to a change can change what the engine has', async () => {
    const { id, visitor, answers } = await votedIn();
    const { fields } = await changeForm(visitor, id);
    const cookies = new Map(visitor.cookies);
    await visitor.post(`/${id}/ballot`, { ...fields, answer: answers[1] });
    for (const [name, cookie] of cookies) visitor.cookies.set(name, cookie);
    const retried = await visitor.post(`/${id}/ballot`, { ...fields, answer: answers[1] });
    expect([retried.statusCode, await site.counts(id)]).toEqual([303, { votes: [0, 1, 0], voters: 1 }]);
    for (const [name, cookie] of cookies) visitor.cookies.set(name, cookie);
    const fresh = await changeForm(visitor, id);
    await visitor.post(`/${id}/ballot`, { ...fresh.fields, answer: answers[2] });
    expect(await site.counts(id)).toEqual({ votes: [0, 0, 1], voters: 1 });
  });

  it.each([
    ['changes', (answers: readonly string[]) => ({ answer: answers[1]! }), [0, 1, 0]],
    ['withdraws', () => ({ withdraw: '1' }), [0, 0, 0]],
  ])('who lost the reply to the vote sees that it is counted, and %s it', async (_, choiceOf, votes) => {
    const { id, visitor, answers } = await votedIn();
    const { rejected, fresh } = await withoutReceipt(visitor, id, answers[1]);
    for (const { body } of [await visitor.get(`/${id}`), rejected]) {
      expect(visibleText(body)).toContain('You’ve already voted');
      expect(body).toContain(`href="/${id}?change"`);
      expect(body).not.toContain('name="answer"');
    }
    expect(fresh.body).toContain('name="withdraw"');
    expect(chosenIn(fresh.body)).toEqual([]);
    const sent = await visitor.post(`/${id}/ballot`, { ...fresh.fields, ...choiceOf(answers) });
    expect([sent.statusCode, (await site.counts(id)).votes]).toEqual([303, votes]);
  });

  it('who lost the reply in a poll without changes sees that it is counted, and no form', async () => {
    const { id, visitor, answers } = await votedIn({});
    const { rejected } = await withoutReceipt(visitor, id, answers[1]);
    for (const { body } of [await visitor.get(`/${id}`), await visitor.get(`/${id}?change`), rejected]) {
      expect(visibleText(body).match(/You’ve already voted/g)).toHaveLength(1);
      expect(body).not.toMatch(/name="answer"|\?change/);
    }
    const stranger = site.visitor();
    await stranger.get(`/${id}`);
    expect((await stranger.get(`/${id}`)).body).toContain('name="answer"');
  });

  it('with a form from before the first vote does not change it, except after a withdrawal', async () => {
    const { id, poll } = await site.createPoll({ change_vote: true });
    const visitor = site.visitor();
    const early = await visitor.fillForm(id);
    await visitor.vote(id, poll.answers[0]!.id);
    const stale = await visitor.post(`/${id}/ballot`, { ...early, answer: poll.answers[1]!.id });
    expect([stale.statusCode, await site.counts(id)]).toEqual([409, { votes: [1, 0, 0], voters: 1 }]);
    const { fields } = await changeForm(visitor, id);
    await visitor.post(`/${id}/ballot`, { ...fields, withdraw: '1' });
    const late = await visitor.post(`/${id}/ballot`, { ...early, answer: poll.answers[1]!.id });
    expect([late.statusCode, await site.counts(id)]).toEqual([303, { votes: [0, 1, 0], voters: 1 }]);
  });

  it('keeps the choice of a form whose reply was an error', async () => {
    const { id, visitor, answers } = await votedIn();
    const { fields } = await changeForm(visitor, id);
    const none = await visitor.post(`/${id}/ballot`, fields);
    expect([none.statusCode, fieldValue(none.body, 'change')]).toEqual([400, '1']);
    const broken = await startVotingSite({
      clock: () => nowMs,
      engine: engineWith(site.engine, {
        polls: { cast: () => Promise.reject(new PollError('engine_unavailable')) },
      }),
    });
    const reply = await broken.server.inject({
      method: 'POST',
      url: `/${id}/ballot`,
      payload: new URLSearchParams({ ...(fields as Record<string, string>), answer: answers[2] }).toString(),
      headers: {
        cookie: [...visitor.cookies.values()].map(({ name, value }) => `${name}=${value}`).join('; '),
        origin: 'http://vote.test',
        host: 'vote.test',
        'content-type': 'application/x-www-form-urlencoded',
      },
    });
    expect(reply.statusCode).toBe(503);
    expect([fieldValue(reply.body, 'change'), fieldValue(reply.body, 'answer')]).toEqual(['1', answers[2]]);
    await broken.close();
  });

  it('is told after twenty changes, after the close, and in a poll that allows none', async () => {
    const { id, visitor, answers } = await votedIn();
    for (let index = 0; index < MAX_CHANGES; index += 1) {
      const { fields } = await changeForm(visitor, id);
      await visitor.post(`/${id}/ballot`, { ...fields, answer: answers[index % 3]! });
    }
    const { fields } = await changeForm(visitor, id);
    const many = await visitor.post(`/${id}/ballot`, { ...fields, answer: answers[0] });
    expect([many.statusCode, visibleText(many.body)]).toEqual([409, expect.stringContaining('too often')]);
    await site.engine.polls.change(id, { closed: true });
    const late = await visitor.post(`/${id}/ballot`, { ...fields, answer: answers[0] });
    expect(visibleText(late.body)).toContain('Your change arrived too late');
    const closed = (await visitor.get(`/${id}?change`)).body;
    expect(closed).not.toContain('name="answer"');
    expect(closed).toMatch(/data-change hidden/);

    const plain = await votedIn({});
    expect((await plain.visitor.get(`/${plain.id}`)).body).not.toContain('data-change');
    const own = await plain.visitor.get(`/${plain.id}?change`);
    expect(own.body).not.toContain('name="answer"');
  });
});

describe('the human check', () => {
  it('is asked for again after ten minutes, also of a form that had none', async () => {
    const { id, visitor, answers } = await votedIn();
    const { fields } = await changeForm(visitor, id);
    nowMs += 600_000;
    const expired = await visitor.post(`/${id}/ballot`, { ...fields, answer: answers[1] });
    expect([expired.statusCode, visibleText(expired.body)]).toEqual([
      400,
      expect.stringContaining('This page was open too long'),
    ]);
    const solved = { ...fields, ...(await solveForm(expired.body)) };
    expect((await visitor.post(`/${id}/ballot`, { ...solved, answer: answers[1] })).statusCode).toBe(303);
    const { body } = await changeForm(visitor, id);
    expect(body).not.toContain('data-proof');
  });

  it('is asked for without the receipt of this browser', async () => {
    const { id, visitor, answers } = await votedIn();
    const { fields } = await changeForm(visitor, id);
    for (const [key, { name }] of visitor.cookies) if (name.endsWith('receipt')) visitor.cookies.delete(key);
    const missing = await visitor.post(`/${id}/ballot`, { ...fields, answer: answers[1] });
    expect([missing.statusCode, await site.counts(id)]).toEqual([400, { votes: [1, 0, 0], voters: 1 }]);
  });
});

describe('a corrected poll', () => {
  it('lets those change who voted before the correction, once, and keeps the name', async () => {
    const { id, poll } = await site.createPoll({ enter_name: true });
    const [one, two] = poll.answers.map(answer => answer.id) as [string, string];
    const [before, after] = [site.visitor(), site.visitor()];
    await before.vote(id, one, { name: 'Ann' });
    expect((await before.get(`/${id}`)).body).not.toContain('data-change');
    await reword(site, id, { title: 'Which song first?' });
    // By the clock of the engine, in whole milliseconds.
    const correctedMs = Date.now();
    while (Date.now() <= correctedMs) await new Promise(setImmediate);
    await after.vote(id, one, { name: 'Bob' });
    expect((await after.get(`/${id}`)).body).not.toContain('data-change');
    const { body, fields } = await changeForm(before, id);
    expect(body).not.toContain('name="name"');
    expect((await before.post(`/${id}/ballot`, { ...fields, answer: two })).statusCode).toBe(303);
    expect(await site.counts(id)).toEqual({ votes: [1, 1, 0], voters: 2 });
    expect((await before.get(`/${id}`)).body).not.toContain('data-change');
    const names: (string | null)[] = [];
    for await (const batch of site.engine.polls.readBallots(id)) names.push(...batch.map(({ name }) => name));
    expect(names).toEqual(['Ann', 'Bob']);
  });
});
