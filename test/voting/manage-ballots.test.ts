import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { voidUsers } from '../../src/engine/void-ballots.ts';
import type { StoredBallot } from '../../src/poll/ballot.ts';
import type { ChatPlatform } from '../../src/poll/chat-platform.ts';
import { castBallots } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';
import { type Fields, type Visitor, visibleText } from './visitor.ts';
import { type LiveSite, startLiveSite, type TestPoll } from './voting-site.ts';

let site: LiveSite;
beforeAll(async () => {
  site = await startLiveSite();
});
afterAll(() => site.close());

const newVisitor = () => site.visitor({ origin: site.url });
const BOT = 'bot-network-tag0';
const HALL = 'hall-network-tag';

interface Managed extends TestPoll {
  readonly creator: Visitor;
  page(): Promise<string>;
  /** Sends a form and opens the page that it leads to. */
  act(action: string, fields: Fields): Promise<{ status: number; text: string; body: string }>;
  cast(network: string | undefined, count: number, answer?: number, source?: ChatPlatform): Promise<void>;
  stored(): Promise<StoredBallot[]>;
}

let casts = 0;

async function managed(draft: Record<string, unknown> = {}): Promise<Managed> {
  const test = await site.createPoll({ mip: true, ...draft });
  const { id, poll } = test;
  const creator = newVisitor();
  await creator.post(`/${id}/manage/key`, { key: test.adminKey });
  return {
    ...test,
    creator,
    page: async () => (await creator.get(`/${id}/manage/ballots`)).body,
    async act(action, fields) {
      const answer = await creator.post(`/${id}/manage/${action}`, fields);
      expect(answer.headers.location).toBe(`/${id}/manage/ballots`);
      const reply = await creator.get(`/${id}/manage/ballots`);
      return { status: reply.statusCode, text: visibleText(reply.body), body: reply.body };
    },
    async cast(network, count, answer = 0, source) {
      const answers = [poll.answers[answer]!.id];
      casts += 1;
      const ballots = Array.from({ length: count }, (_, index) => `voter-${casts}-${index}`).map(voter =>
        site.engine.castBallot({
          pollId: id,
          answers,
          voter,
          address: voter,
          ballotId: voter,
          network,
          source,
        }),
      );
      await Promise.all(ballots);
    },
    async stored() {
      const ballots: StoredBallot[] = [];
      for await (const batch of site.engine.polls.readBallots(id)) ballots.push(...batch);
      return ballots;
    },
  };
}

/** The form that removes the ballots of a network, as the page has it. */
function removalOf(page: string, network: string): Fields {
  const form = new RegExp(
    `name="network" value="(${network})"><input type="hidden" name="until" value="(\\d+)"`,
  );
  const [, tag, lastMs] = form.exec(page)!;
  return { network: tag!, until: lastMs! };
}

const publicResults = async (id: string) => {
  const { poll_answers, total_voters, total_votes } = await site.relay.read(id);
  return { votes: poll_answers.map(({ votes }) => votes), total_votes, total_voters };
};

describe('the page of ballots', () => {
  it('shows ballots over time and the largest networks, without their tags', async () => {
    const { id, creator, page, cast } = await managed();
    expect(visibleText(await page())).toContain('No ballots yet.');
    await cast(BOT, 80);
    await cast(HALL, 15);
    await cast(undefined, 5);
    const body = await page();
    const text = visibleText(body);
    expect(text).toContain('100 ballots from 2 networks · 5 ballots without a network');
    expect(text).toMatch(/Network \d{4} Fast burst from one network 80 ballots, 80%, within \d/);
    expect(text).toMatch(/Network \d{4} 15 ballots, 15%, within \d/);
    expect(text).toContain('Fast burst: at least 50 ballots from one network within 10 sec,');
    expect(text).toContain('One network can be a whole hall.');
    expect(text).toContain('The voting page says how many votes were removed.');
    expect(text).toMatch(/Time Ballots (\d\d?:\d\d:\d\d [AP]M UTC \d+ ?)+/);
    expect(text).not.toContain(BOT);
    expect(body).toContain('<rect class="counted"');
    expect((await creator.get(`/${id}/manage`)).body).toContain(`href="/${id}/manage/ballots"`);
  });

  it('removes a burst with the two clicks of its network, and puts it back exactly', async () => {
    const { id, act, page, cast, stored } = await managed();
    await cast(HALL, 7, 1);
    await cast(BOT, 60, 0);
    await cast(HALL, 3, 2);
    const before = await publicResults(id);
    const form = removalOf(await page(), BOT);
    // Cast after the page was opened, which says how many ballots the button removes.
    await until(async () => (await site.engine.polls.now()) > Number(form['until']), 'a later ballot');
    await cast(BOT, 1, 0);
    const removed = await act('remove-ballots', form);
    expect(removed.status).toBe(200);
    expect(removed.text).toContain('60 ballots removed The results no longer count them.');
    expect(removed.text).toMatch(/Removed Network \d{4}, until .* UTC 60 ballots Put back/);
    expect(removed.text).not.toContain('Fast burst');
    expect(removed.body).toContain('<rect class="removed"');
    expect(await publicResults(id)).toEqual({ votes: [1, 7, 3], total_votes: 11, total_voters: 11 });
    expect((await stored()).filter(({ voided }) => voided)).toHaveLength(60);
    expect(visibleText(await page())).not.toContain('60 ballots removed The results');

    const rule = /name="rule" value="([^"]+)"/.exec(removed.body)![1]!;
    const back = await act('put-back', { rule });
    expect(back.text).toContain('The ballots are back');
    expect(back.text).not.toContain('Put back');
    const { votes, total_votes, total_voters } = before;
    expect(await publicResults(id)).toEqual({
      votes: [votes[0]! + 1, ...votes.slice(1)],
      total_votes: total_votes + 1,
      total_voters: total_voters + 1,
    });
  });

  it('removes a period, to the end of its last second and in the time zone of the form', async () => {
    const { id, act, page, cast, stored } = await managed();
    await cast(HALL, 4);
    const [first] = await stored();
    const body = await page();
    const from = /name="from" step="1" required value="([^"]+)"/.exec(body)![1]!;
    expect(Date.parse(`${from}Z`)).toBe(Math.floor(first!.castAtMs / 1_000) * 1_000);
    const ahead = (ms: number) => new Date(ms + 3_600_000).toISOString().slice(0, 19);
    const offsets = { from_offset: '60', to_offset: '60' };
    const to = ahead(first!.castAtMs + 60_000);
    const { text } = await act('remove-ballots', { from: ahead(first!.castAtMs), to, ...offsets });
    expect(text).toContain('4 ballots removed');
    expect((await publicResults(id)).total_voters).toBe(0);
    await cast(HALL, 1);
    expect((await publicResults(id)).total_voters).toBe(1);
  });

  it.each<[string, Fields]>([
    ['period', { from: '2001-01-01T00:00:00', to: '2001-01-01T00:00:01' }],
    ['network', { network: 'x', until: '9999999999999' }],
  ])('says that a %s has no ballots', async (_, fields) => {
    const { id, act, cast } = await managed();
    await cast(HALL, 2);
    const reply = await act('remove-ballots', fields);
    expect(reply.text).toContain('Nothing was changed There are no counted ballots there.');
    expect(reply.text).not.toContain('Put back');
    expect((await publicResults(id)).total_voters).toBe(2);
  });

  it.each<[string, Fields, string]>([
    ['no time', { from: '', to: '' }, 'Choose when the period begins and ends'],
    ['an end before its start', { from: '2030-01-02T00:00:00', to: '2030-01-01T00:00:00' }, 'Choose when'],
    ['a malformed network', { network: '<x>', until: '1' }, 'Choose when'],
  ])('rejects a form with %s', async (_, fields, words) => {
    const { id, act, cast } = await managed();
    await cast(HALL, 2);
    const reply = await act('remove-ballots', fields);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(words);
    expect((await publicResults(id)).total_voters).toBe(2);
    expect(await site.engine.polls.findVoidRules(id)).toBe('');
  });

  it('is for the manager alone, also where the results are hidden', async () => {
    const [own, other] = [await managed({ results_visibility: 'hidden' }), await managed()];
    await own.cast(BOT, 60);
    const form = removalOf(await own.page(), BOT);
    const holder = newVisitor();
    await holder.post(`/${own.id}/manage/key`, { key: own.viewKey });
    for (const visitor of [newVisitor(), holder, other.creator]) {
      expect((await visitor.get(`/${own.id}/manage/ballots`)).statusCode).toBe(403);
      expect((await visitor.post(`/${own.id}/manage/remove-ballots`, form)).statusCode).toBe(403);
      expect((await visitor.post(`/${own.id}/manage/put-back`, { rule: BOT })).statusCode).toBe(403);
    }
    expect((await site.counts(own.id)).voters).toBe(60);
    await own.act('remove-ballots', form);
    expect((await site.counts(own.id)).voters).toBe(0);
  });

  it('shows the votes of each chat, and removes and puts back those of one chat', async () => {
    const { id, creator, act, cast, page } = await managed();
    await cast(HALL, 4);
    await cast(undefined, 120, 0, 'twitch');
    await cast(undefined, 2, 1, 'kick');
    const before = await page();
    expect(visibleText(before)).toMatch(
      /Votes from chat .*Twitch Fast burst 120 ballots, 95%.* Kick 2 ballots/s,
    );
    expect(visibleText(before)).toContain('126 ballots from 1 network');
    const csv = (await creator.get(`/${id}/manage/ballots.csv`)).body;
    expect(csv.match(/,"","twitch","false"/g)).toHaveLength(120);
    const [, until] = /name="source" value="twitch"><input type="hidden" name="until" value="(\d+)"/.exec(
      before,
    )!;
    const removed = await act('remove-ballots', { source: 'twitch', until: until! });
    expect(removed.text).toContain('120 ballots removed');
    expect(removed.text).toContain('Twitch, until');
    expect((await site.counts(id)).voters).toBe(6);
    const back = await act('put-back', { rule: 'chat-twitch' });
    expect(back.text).not.toContain('Twitch, until');
    expect((await site.counts(id)).voters).toBe(126);
  });

  it('says what moderators of a linked chat do, names what they removed, and puts it back', async () => {
    const show = await takeShow(site.relay);
    const create = async (poll: object) => (await show.addPoll({ mip: true, ...poll })).json;
    const { id, admin_key: key } = await create({});
    const creator = newVisitor();
    await creator.post(`/${id}/manage/key`, { key });
    const open = async (path = '') => visibleText((await creator.get(`/${id}/manage${path}`)).body);
    const told = 'If a chat moderator bans a user or deletes the message, the vote is removed.';
    expect([await open(), await open('/ballots')].join()).not.toContain(told);

    await show.patch({ chat: [{ platform: 'twitch', channel: 'fridaynight' }] });
    expect(await open()).toContain(told);
    expect(await open('/ballots')).toContain(`Votes from chat Chat accounts are easy to make`);
    expect(await open('/ballots')).toContain(told);
    for (const kept of [{ chat: false }, { enter_name: true }]) {
      const other = await create(kept);
      await creator.post(`/${other.id}/manage/key`, { key: other.admin_key });
      expect(visibleText((await creator.get(`/${other.id}/manage`)).body)).not.toContain(told);
    }

    await castBallots(site.engine, id, 0, 2);
    await castBallots(site.engine, id, 1, 3, 'twitch');
    expect(await open()).toContain('Web page 2 · Twitch 3');
    const ids: string[] = [];
    for await (const ballots of site.engine.polls.readBallots(id))
      ids.push(...ballots.filter(({ source }) => source).map(({ ballotId }) => ballotId));
    await voidUsers(site.engine.polls, id, 'twitch', ids.slice(1), Date.now());
    expect(await open()).toContain('Web page 2 · Twitch 1');
    expect(await open('/ballots')).toMatch(/Removed Twitch, by moderators, until .* UTC 2 ballots Put back/);
    await creator.post(`/${id}/manage/put-back`, { rule: 'chat-twitch-moderators' });
    expect(await open()).toContain('Web page 2 · Twitch 3');
  });

  it('marks removed ballots in the CSV and in the list of names', async () => {
    const { id, poll, creator, act } = await managed({ enter_name: true });
    await newVisitor().vote(id, poll.answers[0]!.id, { name: 'Mira' });
    const csv = async () => (await creator.get(`/${id}/manage/ballots.csv`)).body.split('\r\n');
    const [head, row] = await csv();
    expect(head).toBe('\uFEFF"cast_at","name","answers","network","source","voided"');
    const tag = /"Mira","Waterloo","'?([\w-]{16})","page","false"$/.exec(row!)![1]!;
    const removed = await act('remove-ballots', { network: tag, until: `${Date.now()}` });
    expect(removed.text).toContain('1 ballot removed');
    expect((await csv())[1]).toMatch(/"true"$/);
    expect(visibleText((await creator.get(`/${id}/manage/names`)).body)).toContain('· Removed');
  });
});
