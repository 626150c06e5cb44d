import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError, issuesOf, send } from '../support/api-request.ts';
import { heldClock } from '../support/held-clock.ts';
import { LiveClient } from '../support/live-client.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { voidBallots } from '../support/void-ballots.ts';

describe('correcting a poll', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay();
  });
  afterAll(() => relay.close());

  const correct = (id: string, poll: unknown, key: string) =>
    send(`${relay.url}/api/poll/${id}`, 'PATCH', { poll }, key);
  const watch = (id: string, query = '') => LiveClient.open(`${relay.wsUrl}/api/poll/${id}/live${query}`);
  const answersOf = async (id: string) =>
    (await relay.engine.polls.find(id))!.poll.answers.map(answer => ({ id: answer.id, answer: answer.text }));

  it('before the first ballot changes everything, without a trace', async () => {
    const { id, admin_key } = await relay.create({ title: 'Wich song?', status: 'upcoming' });
    const [first, second] = await answersOf(id);
    const live = await watch(id);
    await live.message(message => message.type === 'results');
    const answers = [second, { answer: ' Ne partez pas sans moi ' }, { ...first, answer: 'Waterloo (1974)' }];
    const wanted = { title: 'Which song?', description: 'a\r\nb', answers, status: 'open' };
    const reply = await correct(id, wanted, admin_key);
    expect(reply.json).toMatchObject({ title: 'Which song?', version: 2, status: 'open', ignored: [] });
    expect(reply.json.poll_answers).toMatchObject([
      { ...second, sorting: 1, votes: 0 },
      { answer: 'Ne partez pas sans moi', sorting: 2, votes: 0 },
      { id: first?.id, answer: 'Waterloo (1974)', sorting: 3, votes: 0 },
    ]);
    expect(reply.json).not.toHaveProperty('edited_at');
    expect((await relay.engine.polls.find(id))?.poll.description).toBe('a\nb');
    await live.until(() => live.last?.type === 'results' && live.last.version === 2, 'the correction');
    expect(live.last).toMatchObject({ title: 'Which song?', poll_answers: reply.json.poll_answers });
    expect((await correct(id, wanted, admin_key)).json).toMatchObject({ version: 2 });
    await relay.cast(id, 1);
    await live.results(1);
    expect(live.last).toMatchObject({ poll_answers: [{ votes: 0 }, { votes: 1 }, { votes: 0 }] });
    live.close();
  });

  it('after the first ballot is public, and reaches every subscriber as a whole message', async () => {
    const { id, admin_key } = await relay.create();
    await relay.cast(id, 0, 2);
    const [plain, compact] = [await watch(id), await watch(id, '?compact=1')];
    await Promise.all([plain.results(2), compact.results(2)]);
    await relay.cast(id, 1);
    await compact.until(() => compact.last?.type === 'counts', 'counts');
    const answers = (await answersOf(id)).map(answer => ({ ...answer, answer: `${answer.answer}!` }));
    const before = await relay.read(id);
    const { json } = await correct(id, { answers }, admin_key);
    expect(json).toMatchObject({ total_votes: 3, version: before.version + 1 });
    expect(json.poll_answers).toMatchObject([
      { answer: 'Waterloo!', votes: 2 },
      { answer: 'Volare!', votes: 1 },
    ]);
    expect(Math.abs(Date.parse(json.edited_at) - (await relay.engine.polls.now()))).toBeLessThan(60_000);
    for (const live of [plain, compact]) {
      await live.until(() => live.last?.type === 'results' && live.last.version === json.version, 'whole');
      expect(live.last).toMatchObject({ edited_at: json.edited_at, poll_answers: json.poll_answers });
    }
    // Only `edited_at` tells of a new description.
    const described = await correct(id, { description: 'More' }, admin_key);
    expect(described.json.edited_at > json.edited_at).toBe(true);
    await compact.until(
      () => compact.last?.type === 'results' && compact.last.edited_at === described.json.edited_at,
      'whole again',
    );
    await relay.cast(id, 1);
    await compact.until(() => compact.last?.type === 'counts', 'counts again');
    for (const live of [plain, compact]) live.close();
  });

  it('of hidden results sends the texts and nothing that tells of ballots', async () => {
    const { id, admin_key, view_key } = await relay.create({ results_visibility: 'hidden' });
    await relay.cast(id);
    const [stranger, viewer] = [await watch(id), await watch(id, `?key=${view_key}&compact=1`)];
    await stranger.message(message => message.type === 'hidden');
    await viewer.results(1);
    const members = Object.keys(stranger.last ?? {});
    const { json } = await correct(id, { title: 'Which one?' }, admin_key);
    await stranger.until(
      () => stranger.last?.type === 'hidden' && stranger.last.title === 'Which one?',
      'texts',
    );
    expect(Object.keys(stranger.last ?? {})).toEqual(members);
    expect(JSON.stringify(stranger.last)).not.toMatch(/edited_at|version|position|votes|voters/);
    await viewer.until(
      () => viewer.last?.type === 'results' && viewer.last.title === 'Which one?',
      'results',
    );
    expect(viewer.last).toMatchObject({ edited_at: json.edited_at });
    // Nothing that a stranger can see has changed.
    const count = stranger.messages.length;
    await correct(id, { description: 'More' }, admin_key);
    await correct(id, { title: 'Which?' }, admin_key);
    await stranger.until(
      () => stranger.last?.type === 'hidden' && stranger.last.title === 'Which?',
      'new title',
    );
    expect(stranger.messages).toHaveLength(count + 1);
    for (const live of [stranger, viewer]) live.close();
  });

  it('cannot leave fewer answers than a ballot may have', async () => {
    for (const limit of [{ min_choices: 3 }, { max_choices: 3 }]) {
      const { id, admin_key } = await relay.create({ answers: ['A', 'B', 'C'], ma: true, ...limit });
      const answers = (await answersOf(id)).slice(1);
      const reply = await correct(id, { answers, title: 'Other' }, admin_key);
      expectError(reply, 409, 'choices_impossible');
      expect(Object.keys(issuesOf(reply))).toEqual(['poll.answers']);
      const more = await correct(id, { answers: [...answers, { answer: 'D' }] }, admin_key);
      expect(more.status).toBe(200);
    }
  });

  it('changes every rule before the first ballot, and none after it', async () => {
    const { id, admin_key } = await relay.create({ answers: ['A', 'B', 'C'] });
    const rules = {
      ...{ ma: true, min_choices: 2, max_choices: 3, mip: true, co: true, enter_name: true, vpn: true },
      ...{ priv: true, answer_order: 'random', change_vote: true, verifiable: true, show_log_size: true },
      show_total_while_hidden: true,
    };
    expect((await correct(id, rules, admin_key)).json).toMatchObject({ ...rules, version: 2, ignored: [] });
    expect((await correct(id, rules, admin_key)).json).toMatchObject({ version: 2 });
    expect((await relay.engine.polls.listPublic(1_000)).includes(id)).toBe(false);
    const single = await correct(id, { ma: false, verifiable: false, enter_name: false }, admin_key);
    expect(single.json).toMatchObject({ ma: false, max_choices: 1, show_log_size: false, version: 3 });
    await relay.cast(id);
    const before = await relay.read(id);
    const late = await correct(id, { ...rules, title: 'Other', status: 'closed' }, admin_key);
    expectError(late, 409, 'ballots_cast');
    expect(late.json.error.message).toContain('This poll has votes, so its rules are fixed: ');
    const fixed = ['ma', 'enter_name', 'verifiable', 'show_log_size', 'min_choices', 'max_choices'];
    expect(Object.keys(issuesOf(late)).sort()).toEqual(fixed.map(rule => `poll.${rule}`).sort());
    expect(await relay.read(id)).toEqual({ ...before, timestamp: expect.any(Number) });
    const same = await correct(id, { mip: true, ma: false, title: 'Other' }, admin_key);
    expect(same.json).toMatchObject({ title: 'Other', edited_at: expect.any(String) });
  });

  it('rejects limits of choices while one ballot has one answer', async () => {
    const { id, admin_key } = await relay.create();
    const reply = await correct(id, { min_choices: 2 }, admin_key);
    expectError(reply, 409, 'choices_impossible');
    expect(issuesOf(reply)['poll.ma']).toContain('several answers');
    expect((await relay.read(id)).version).toBe(1);
  });

  it.each<[what: string, given: object, path: string, message: string]>([
    ['the size of no log', { show_log_size: true }, 'poll.show_log_size', 'needs a log'],
    ['no order', { answer_order: 'shuffled' }, 'poll.answer_order', '"given" or "random"'],
    ['no flag', { priv: 'yes' }, 'poll.priv', 'true, false, 1 or 0'],
  ])('rejects %s', async (_, given, path, message) => {
    const { id, admin_key } = await relay.create();
    const reply = await correct(id, given, admin_key);
    expectError(reply, 400, 'invalid_request');
    expect(issuesOf(reply)[path]).toContain(message);
    expect((await relay.read(id)).version).toBe(1);
  });

  it.each([
    ['counts', false],
    ['is voided', true],
  ])('cannot add, remove or move an answer once a ballot %s', async (_, isVoided) => {
    const { id, admin_key } = await relay.create();
    await relay.cast(id);
    if (isVoided) await voidBallots(relay.engine.polls, id, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
    const before = await relay.read(id);
    const [first, second] = await answersOf(id);
    for (const answers of [
      [first, second, { answer: 'New' }],
      [second, first],
      [first, { answer: 'Other' }],
    ]) {
      const reply = await correct(id, { answers, title: 'Other', status: 'closed' }, admin_key);
      expectError(reply, 409, 'ballots_cast');
      expect(Object.keys(issuesOf(reply))).toEqual(['poll.answers']);
    }
    expect(await relay.read(id)).toEqual({ ...before, timestamp: expect.any(Number) });
    const reworded = [first, { ...second, answer: 'Other' }];
    expect((await correct(id, { answers: reworded }, admin_key)).json.poll_answers[1].answer).toBe('Other');
  });

  it.each([
    [{ title: ' ' }, 'poll.title', 'must not be empty'],
    [{ title: null }, 'poll.title', 'must be a string'],
    [{ description: 'x'.repeat(5_001) }, 'poll.description', 'at most 5000'],
    [{ answers: ['Waterloo', 'Volare'] }, 'poll.answers.0', 'must be an object'],
    [{ answers: [{ answer: 'One' }] }, 'poll.answers', 'at least 2'],
    [{ answers: [{ answer: 'One' }, { answer: 'One ' }] }, 'poll.answers.1.answer', 'same as answer 1'],
    [
      {
        answers: [
          { id: 'a', answer: 'A' },
          { id: 'a', answer: 'B' },
        ],
      },
      'poll.answers.1.id',
      'same as answer 1',
    ],
    [{ answers: [{ id: 'nobody', answer: 'A' }, { answer: 'B' }] }, 'poll.answers.0.id', 'is not the id'],
  ])('rejects %j and changes nothing', async (poll, path, words) => {
    const { id, admin_key } = await relay.create();
    const reply = await correct(id, poll, admin_key);
    if (words === 'is not the id') expectError(reply, 404, 'answer_not_found');
    else expectError(reply, 400, 'invalid_request');
    expect(issuesOf(reply)[path]).toContain(words);
    expect((await relay.read(id)).version).toBe(1);
  });

  it('of a rehearsal is rejected, and the rehearsal has the texts of its poll', async () => {
    const { id, admin_key } = await relay.create();
    const twin = `rehearsal-${id}`;
    expectError(await correct(twin, { title: 'Other' }, admin_key), 400, 'invalid_request');
    await correct(id, { title: 'Other' }, admin_key);
    expect((await relay.read(twin)).title).toBe('Other');
  });

  it('takes what it adds from the bytes that the address may store', async () => {
    const poor = await startTestRelay({ clock: heldClock(), createBytesPerDay: 30_000 });
    const { id, admin_key } = await poor.create();
    const patch = (description: string) =>
      send(`${poor.url}/api/poll/${id}`, 'PATCH', { poll: { description } }, admin_key);
    const long = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(letter => letter.repeat(4_000));
    expect((await patch(long[0]!)).status).toBe(200);
    await poor.cast(id);
    const statuses: number[] = [];
    for (const text of long.slice(1)) statuses.push((await patch(text)).status);
    expect(statuses.at(-1)).toBe(429);
    await poor.close();
  });
});
