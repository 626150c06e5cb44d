import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { scriptCrypto } from '../../src/audience/check/browser/script-crypto.ts';
import type { CheckReply } from '../../src/audience/check/verdict.ts';
import { PollLogs } from '../../src/audit/poll-logs.ts';
import { verifyBallot } from '../../src/audit/verify-log.ts';
import { phrasesIn } from '../../src/locales/phrases.ts';
import { PollError } from '../../src/poll/poll-error.ts';
import { heldClock } from '../support/held-clock.ts';
import { pointShow } from '../support/point-show.ts';
import { voidBallots } from '../support/void-ballots.ts';
import { createdId, fieldValue, type Visitor, visibleText } from './visitor.ts';
import { startVotingSite, type TestPoll, type VotingSite } from './voting-site.ts';

let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite();
});
afterAll(() => site.close());

const VERIFIABLE = { verifiable: true, mip: true };
const { check: words } = phrasesIn('en');

async function voteOnce({ id, poll }: TestPoll, answer = 1): Promise<{ voter: Visitor; receipt: string }> {
  const voter = site.visitor();
  await voter.vote(id, poll.answers[answer]!.id);
  const { body } = await voter.get(`/${id}/check`);
  return { voter, receipt: fieldValue(body, 'receipt') ?? receiptIn(body) };
}

const receiptIn = (body: string) => /name="receipt"[^>]* value="([^"]*)"/.exec(body)?.[1] ?? '';

const removeAll = ({ id }: TestPoll) =>
  voidBallots(site.engine.polls, id, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });

async function ask(poll: TestPoll, receipt: string | string[]): Promise<CheckReply> {
  const reply = await site.visitor().post(`/${poll.id}/check`, { receipt }, { accept: 'application/json' });
  expect(reply.headers['cache-control']).toBe('private, no-store');
  return reply.json();
}

describe('the receipt', () => {
  it('is in the cookie of every voter, and the page after a vote in a verifiable poll links to the check', async () => {
    const polls = [await site.createPoll(VERIFIABLE), await site.createPoll({ mip: true })];
    for (const [index, poll] of polls.entries()) {
      const voter = site.visitor();
      await voter.vote(poll.id, poll.poll.answers[0]!.id);
      const page = await voter.get(`/${poll.id}`);
      const isVerifiable = index === 0;
      const [, answers, ballotId] = voter.cookie('receipt')!.split('.')[0]!.split('=');
      expect([answers, ballotId?.length]).toEqual([poll.poll.answers[0]!.id, 36]);
      expect(voter.cookie('receipt')!.length).toBeLessThan(110);
      expect(page.body.includes(`href="/${poll.id}/check"`)).toBe(isVerifiable);
      expect(visibleText(page.body).includes(words.vote.title)).toBe(isVerifiable);
      expect(visibleText(page.body)).toContain('You chose Waterloo');
      expect((await voter.get(`/${poll.id}/check`)).statusCode).toBe(isVerifiable ? 200 : 404);
    }
  });

  it('is on the page of its voter alone', async () => {
    const poll = await site.createPoll(VERIFIABLE);
    const { voter, receipt } = await voteOnce(poll);
    expect(receipt).toMatch(/^[0-9a-f-]{36}$/);
    expect(visibleText((await voter.get(`/${poll.id}/check`)).body)).toContain(words.vote.hint);
    const other = (await site.visitor().get(`/${poll.id}/check`)).body;
    expect(other).not.toContain(receipt);
    expect(visibleText(other)).toContain(words.vote.noCode);
    expect((await site.visitor().get(`/${poll.id}`)).body).not.toContain(receipt);
  });

  it('keeps the show in its links', async () => {
    const poll = await site.createPoll(VERIFIABLE);
    const { body: onAir } = await site.visitor().get(`/${poll.id}?show=friday-night`);
    expect(onAir).toContain(`href="/${poll.id}/check"`);
    await pointShow(site.engine, 'friday-night', null);
    const { body: afterSetUp } = await site.visitor().get(`/${poll.id}?show=friday-night`);
    expect(afterSetUp).toContain(`href="/${poll.id}/check?show=friday-night"`);
    const { body } = await site.visitor().get(`/${poll.id}/check?show=friday-night`);
    expect(body).toContain(`href="/${poll.id}?show=friday-night"`);
    const injected = await site.visitor().get(`/${poll.id}/check?show=%22%3E`);
    expect(injected.body).toContain(`href="/${poll.id}"`);
  });
});

describe('a check', () => {
  it.each([false, true])('proves each vote, closed: %s', async closed => {
    const poll = await site.createPoll(VERIFIABLE);
    const votes = [];
    for (const answer of [0, 1, 2, 1, 0]) votes.push({ ...(await voteOnce(poll, answer)), answer });
    if (closed) await site.engine.polls.change(poll.id, { closed: true });
    // The log has them at once when the poll is closed, otherwise within seconds.
    await site.visitor().get(`/${poll.id}/check`);
    for (const [index, { receipt, answer }] of votes.entries()) {
      const reply = await ask(poll, ` ${receipt.toUpperCase()} `);
      expect(reply).toMatchObject({
        found: true,
        sequence: index + 1,
        answers: [poll.poll.answers[answer]!.id],
      });
      if (closed) expect(reply).toHaveProperty('path');
      if ('path' in reply)
        expect(verifyBallot(scriptCrypto, poll.id, receipt, reply, undefined).faults).toEqual([]);
    }
  });

  it.each([
    ['an unknown code', '00000000-0000-8000-8000-000000000000'],
    ['no code', ''],
    ['another text', '<script>'],
    ['a long text', 'x'.repeat(10_000)],
    ['two codes', ['a', 'b']],
    ['a form without a code', []],
  ])('of %s finds nothing', async (_, code) => {
    const poll = await site.createPoll(VERIFIABLE);
    await voteOnce(poll);
    expect(await ask(poll, code)).toEqual({ found: false });
  });

  it('of the code of another poll finds nothing', async () => {
    const [poll, other] = [await site.createPoll(VERIFIABLE), await site.createPoll(VERIFIABLE)];
    const { receipt } = await voteOnce(poll);
    expect(await ask(other, receipt)).toEqual({ found: false });
    expect(await ask(poll, receipt)).toMatchObject({ found: true });
  });

  it('is limited as other forms are', async () => {
    const limited = await startVotingSite({ clock: heldClock(), rateLimits: { ballots: 2 } });
    const { id } = await limited.createPoll(VERIFIABLE);
    const visitor = limited.visitor();
    await visitor.get(`/${id}/check`);
    const statuses = [];
    for (let tries = 0; tries < 3; tries += 1)
      statuses.push((await visitor.post(`/${id}/check`, { receipt: 'x' })).statusCode);
    expect(statuses).toEqual([200, 200, 429]);
    await limited.close();
  });

  it('waits for a log that is being built', async () => {
    const poll = await site.createPoll(VERIFIABLE);
    const { receipt } = await voteOnce(poll);
    await site.engine.polls.change(poll.id, { closed: true });
    vi.spyOn(PollLogs.prototype, 'find').mockRejectedValue(new PollError('log_unavailable'));
    const { statusCode, body } = await site.visitor().get(`/${poll.id}/check`);
    expect([statusCode, body.includes('data-check-result')]).toEqual([200, true]);
    const answers = [poll.poll.answers[1]!.id];
    expect(await ask(poll, receipt)).toEqual({ found: true, answers, sequence: 1 });
  });
});

describe('hidden results', () => {
  const HIDDEN = { ...VERIFIABLE, results_visibility: 'hidden' };

  it.each([false, true])('leave page and replies without counts, closed: %s', async closed => {
    const poll = await site.createPoll(HIDDEN);
    const first = await voteOnce(poll);
    if (closed) await site.engine.polls.change(poll.id, { closed: true });
    const answers = [poll.poll.answers[1]!.id];
    const seen = async () => {
      const voter = first.voter;
      const page = (await voter.get(`/${poll.id}/check`)).body;
      const sent = (await voter.post(`/${poll.id}/check`, { receipt: first.receipt })).body;
      return [await ask(poll, first.receipt), page, sent];
    };
    const before = await seen();
    expect(before[0]).toEqual({ found: true, answers, hidden: true });
    expect(visibleText(String(before[2]))).toContain(words.verdict.hidden.title);
    expect(visibleText(String(before[1]))).toContain(words.result.waiting);
    if (!closed) for (let votes = 0; votes < 3; votes += 1) await voteOnce(poll, 0);
    await removeAll(poll);
    expect(await seen()).toEqual(before);
  });

  it('with a public size let the log be checked, without saying which votes were removed', async () => {
    const poll = await site.createPoll({ ...HIDDEN, show_log_size: true });
    const { receipt } = await voteOnce(poll);
    await removeAll(poll);
    const page = visibleText((await site.visitor().get(`/${poll.id}/check`)).body);
    expect(page).toContain(words.log.checkpoint);
    expect(page).toContain(words.result.waiting);
    const reply = await ask(poll, receipt);
    expect(reply).toMatchObject({ found: true, sequence: 1 });
    expect(reply).not.toHaveProperty('voided');
  });
});

describe('the page', () => {
  it('offers to check the result once it is final', async () => {
    const poll = await site.createPoll(VERIFIABLE);
    await voteOnce(poll);
    const open = (await site.visitor().get(`/${poll.id}/check`)).body;
    expect(open).not.toContain('data-check-result');
    await site.engine.polls.change(poll.id, { closed: true });
    const { body, headers } = await site.visitor().get(`/${poll.id}/check`);
    expect(body).toContain('data-check-result');
    expect(body).toContain(`npx tallycast verify http://relay.test/api/poll/${poll.id}`);
    expect(body).toContain(`relay.test/api/poll/${poll.id}/log\n1\n`);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self' http://relay.test ");
    expect(headers['x-robots-tag']).toContain('noindex');
    expect(headers['link']).toContain(`<http://relay.test/api/poll/${poll.id}>; rel="describedby"`);
  });
});

describe('the creator', () => {
  it.each([
    [{ verifiable: '1' }, [true, false]],
    [{ verifiable: '1', show_log_size: '1' }, [true, true]],
    [{ show_log_size: '1' }, [false, false]],
    [{}, [false, false]],
  ])('who chooses %j gets that poll', async (chosen, expected) => {
    const visitor = site.visitor();
    const once = fieldValue((await visitor.get('/new')).body, 'once')!;
    const fields = { once, title: 'x', answer: ['a', 'b'], mip: '1', ...(chosen as Record<string, string>) };
    const created = await visitor.post('/new', fields);
    expect(created.statusCode).toBe(303);
    const id = createdId(created);
    const { isVerifiable, showLogSize } = (await site.engine.polls.find(id))!.poll.settings;
    expect([isVerifiable, showLogSize]).toEqual(expected);
    const manage = (await visitor.get(`/${id}/manage`)).body;
    expect(manage.includes(`href="/${id}/check"`)).toBe(expected[0]);
  });
});
