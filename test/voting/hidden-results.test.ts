import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { voidBallots } from '../support/void-ballots.ts';
import type { Visitor } from './visitor.ts';
import { startVotingSite, type TestPoll, type VotingSite } from './voting-site.ts';

let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite();
});
afterAll(() => site.close());

const HIDDEN = [
  { results_visibility: 'hidden' },
  { results_visibility: 'hidden', verifiable: true },
  { results_visibility: 'after_vote' },
  { results_visibility: 'after_vote', verifiable: true },
  { results_visibility: 'after_deadline', has_deadline: true, deadline: '2099-01-01T00:00:00.000Z' },
];

/** Everything that this server sends to an outsider, without random values. @param votes at the end */
async function observe(visitor: Visitor, { id, poll }: TestPoll, votes: boolean): Promise<string[]> {
  const form = await visitor.fillForm(id);
  const stranger = { ...form, proof: 'nonsense', answer: poll.answers[0]!.id };
  const replies = [
    await visitor.get(`/${id}`),
    await visitor.get(`/${id}`, { 'if-none-match': '*', 'if-modified-since': new Date(0).toUTCString() }),
    await visitor.get('/'),
    await visitor.get(`/${id}/state`),
    await visitor.get(`/${id}/results`),
    await visitor.get(`/${id}/check`),
    await visitor.get(`/${id}/manage`),
    await visitor.get(`/${id}/manage/ballots`),
    await visitor.get(`/${id}/manage/ballots.csv`),
    await visitor.get(`/${id}/manage/names`),
    await visitor.get(`/${id}/manage/live`),
    await visitor.get(`/${id}/challenge`),
    await visitor.post(`/${id}/manage/key`, { key: 'admin_wrong' }),
    await visitor.post(`/${id}/manage/visibility`, { results_visibility: 'always' }),
    await visitor.post(`/${id}/ballot`, stranger),
    await visitor.get(`/${id}`),
  ];
  if (votes)
    replies.push(
      await visitor.post(`/${id}/ballot`, { ...form, answer: poll.answers[0]!.id }),
      await visitor.get(`/${id}`),
      await visitor.post(`/${id}/ballot`, { ...form, answer: poll.answers[1]!.id }),
      await visitor.get(`/${id}`),
    );
  return replies.map(({ statusCode, headers, body }) => {
    const { date: _, 'set-cookie': cookies, ratelimit: __, 'ratelimit-remaining': ___, ...others } = headers;
    const { 'x-request-id': ____, ...rest } = others;
    const reply = JSON.stringify([
      statusCode,
      rest,
      [cookies].flat().map(cookie => String(cookie).length),
      body,
    ]);
    return reply
      .replaceAll(id, 'ID')
      .replace(/data-now-ms=\\"\d+|nowMs\\":\d+/g, 'NOW')
      .replace(/(name=\\"(?:ballot|comment|once)\\" value=\\")[^"]+/g, '$1TOKEN')
      .replace(/data-challenge=\\"[^"]*\\"/g, 'CHALLENGE')
      .replace(/"body":"\{.*?"\}"/g, 'BODY')
      .replace(/(nonce|salt|signature|keyPrefix|keySignature|voter)\\":\\"[0-9A-Za-z_-]+/g, '$1')
      .replace(/expiresAt\\":\d+/g, 'expiresAt')
      .replace(/"ratelimit-reset":"?\d+"?/g, '')
      .replace(new RegExp(poll.answers.map(answer => answer.id).join('|'), 'g'), 'ANSWER');
  });
}

describe.each(HIDDEN)('a poll with %o', settings => {
  it('sends the same bytes whatever the votes are', async () => {
    const [quiet, busy] = [
      await site.createPoll({ ...settings, priv: true, mip: true, enter_name: false, co: true }),
      await site.createPoll({ ...settings, priv: true, mip: true, enter_name: false, co: true }),
    ];
    for (let n = 0; n < 137; n += 1)
      await site.engine.castBallot({
        pollId: busy.id,
        answers: [busy.poll.answers[n % 2]!.id],
        voter: `v${n}`,
        address: `a${n}`,
        ballotId: `b${n}`,
        network: n < 37 ? 'removed' : 'kept',
      });
    await voidBallots(site.engine.polls, busy.id, { network: 'removed', toMs: Number.MAX_SAFE_INTEGER });
    // To its own voters `after_vote` shows the results.
    const votes = settings.results_visibility !== 'after_vote';
    const seen = await observe(site.visitor({ address: '192.0.2.1' }), quiet, votes);
    expect(await observe(site.visitor({ address: '192.0.2.1' }), busy, votes)).toEqual(seen);
    expect((await site.counts(quiet.id)).voters).toBe(Number(votes));
    expect((await site.counts(busy.id)).voters).toBe(100 + Number(votes));
  });

  it('shows counts and removed votes to its creator only', async () => {
    const test = await site.createPoll({ ...settings, mip: true });
    await site.visitor().vote(test.id, test.poll.answers[0]!.id);
    await voidBallots(site.engine.polls, test.id, { fromMs: 0, toMs: await site.engine.polls.now() });
    await site.visitor().vote(test.id, test.poll.answers[1]!.id);
    const creator = site.visitor();
    await creator.post(`/${test.id}/manage/key`, { key: test.adminKey });
    const { body } = await creator.get(`/${test.id}/manage`);
    expect(body).toContain('<dd data-voters>1</dd>');
    expect(body).toContain('1 vote was removed');
    expect((await site.visitor().get(`/${test.id}`)).body).not.toContain('removed');
    const viewer = site.visitor();
    expect((await viewer.post(`/${test.id}/manage/key`, { key: test.viewKey })).statusCode).toBe(403);
    expect((await viewer.get(`/${test.id}/manage`)).body).not.toContain('data-voters');
  });
});
