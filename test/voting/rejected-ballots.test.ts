import { afterAll, beforeAll, expect, it } from 'vitest';
import { readRejectedBallots } from '../../src/engine/rejected-ballots.ts';
import { EventClient } from '../support/event-client.ts';
import { takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';
import { visibleText } from './visitor.ts';
import { type LiveSite, startLiveSite } from './voting-site.ts';

let site: LiveSite;
beforeAll(async () => {
  site = await startLiveSite();
});
afterAll(() => site.close());

const newVisitor = (address?: string) => site.visitor({ origin: site.url, ...(address && { address }) });
const rejectedOf = async (id: string) => (await readRejectedBallots(site.engine.records, [id]))[0]!;
const NONE = { same_network: 0, closed: 0, already_voted: 0, failed_check: 0, other: 0 };

it('rejected ballots are counted by reason; retries of a counted ballot and incomplete forms are not', async () => {
  const { id, poll, adminKey } = await site.createPoll();
  const answer = poll.answers[0]!.id;
  const creator = newVisitor();
  await creator.post(`/${id}/manage/key`, { key: adminKey });
  const page = async () => visibleText((await creator.get(`/${id}/manage`)).body);
  expect(await page()).not.toContain('Rejected votes');
  const cookie = `tallycast-manage=${encodeURIComponent(creator.cookie('manage')!)}`;
  const feed = await EventClient.open(`${site.url}/${id}/manage/live`, { cookie });

  const voter = newVisitor('203.0.113.1');
  const form = { ...(await voter.fillForm(id)), answer };
  const again = await voter.fillForm(id);
  for (const fields of [{ ...form, answer: [] }, form, form, form]) await voter.post(`/${id}/ballot`, fields);
  await voter.post(`/${id}/ballot`, { ...again, answer: poll.answers[1]!.id });
  for (let visitors = 0; visitors < 2; visitors += 1) await newVisitor('203.0.113.1').vote(id, answer);
  const late = newVisitor();
  const lateForm = { ...(await late.fillForm(id)), answer };
  await late.post(`/${id}/ballot`, { ...lateForm, proof: 'nonsense' });
  await site.engine.polls.change(id, { closed: true });
  await late.post(`/${id}/ballot`, lateForm);

  expect((await site.counts(id)).voters).toBe(1);
  const counts = { same_network: 2, closed: 1, already_voted: 1, failed_check: 1, other: 0 };
  await expect.poll(() => rejectedOf(id)).toEqual(counts);
  expect(await page()).toContain(
    'Rejected votes: 5 · same network: 2 · voting closed: 1 · already voted: 1 · check failed: 1',
  );
  await until(() => feed.text.includes(`"rejected":${JSON.stringify(counts)}`), 'the counts in the feed');
  feed.close();
});

it('a ballot for a poll that is not open is rejected as closed', async () => {
  const { id, poll } = await site.createPoll();
  const voter = newVisitor();
  const form = { ...(await voter.fillForm(id)), answer: poll.answers[0]!.id };
  const { keys, results } = (await site.engine.polls.find(id))!;
  await site.engine.polls.remove(id);
  await site.engine.polls.create({ poll, keys, ...results, deadlineMs: null, upcoming: true });
  await voter.post(`/${id}/ballot`, form);
  await until(async () => (await rejectedOf(id)).closed === 1, 'the count');
});

it('the key of a show reads those of its own poll on air, and of no other', async () => {
  const show = await takeShow(site.relay);
  const [own] = await show.fill(1);
  const foreign = await site.relay.create();
  await site.engine.records.spend(`rejected:${own}:closed`, 3, 100, 60_000);
  await site.engine.records.spend(`rejected:${foreign.id}:closed`, 4, 100, 60_000);
  expect((await show.get()).json).not.toHaveProperty('rejected');
  await show.patch({ rundown: [own, foreign.id], on_air: own });
  expect((await show.get()).json.rejected).toEqual({ ...NONE, closed: 3 });
  const { rejected } = await (await fetch(`${site.relay.url}/api/show/${show.name}`)).json();
  expect(rejected).toBeUndefined();
  await show.patch({ on_air: foreign.id });
  expect((await show.get()).json).not.toHaveProperty('rejected');
});
