import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeLines } from '../../src/archive/archive-file.ts';
import { closesInOf } from '../../src/poll/show-delay.ts';
import { ask, expectError, issuesOf } from '../support/api-request.ts';
import { castBallots, startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { type TestShow, takeShow } from '../support/test-show.ts';

const RANGE = 'must be a number of seconds from 0 to 60';

describe('the delay of a show', () => {
  let relay: TestRelay;
  let show: TestShow;
  beforeAll(async () => {
    relay = await startTestRelay();
  });
  beforeEach(async () => {
    show = await takeShow(relay);
  });
  afterAll(() => relay.close());

  const read = async (name = show.name) => (await ask(`${relay.url}/api/show/${name}`)).json.delay;
  const create = (path: string, body: object) =>
    ask(`${relay.url}/api/show${path}`, {
      method: 'POST',
      headers: { 'x-api-key': show.key },
      body: JSON.stringify({ show: body }),
    });

  it('is 0 at first, is changed alone, and is read with and without a key', async () => {
    expect([await read(), (await show.get()).json.delay]).toEqual([0, 0]);
    const reply = await show.patch({ delay: 20.5 });
    expect([reply.status, reply.json.delay, reply.json.ignored]).toEqual([200, 20.5, []]);
    await show.patch({ title: 'Friday' });
    expect([await read(), (await show.get()).json.delay]).toEqual([20.5, 20.5]);
  });

  it.each([-1, 60.1, '20', null])('rejects %j', async delay => {
    await show.patch({ delay: 20.5 });
    const reply = await show.patch({ delay });
    expectError(reply, 400, 'invalid_request');
    expect(issuesOf(reply)).toEqual({ 'show.delay': RANGE });
    expect(await read()).toBe(20.5);
  });

  it('is given to a new show, and copied', async () => {
    await show.patch({ delay: 20.5 });
    await create('', { name: 'late-from-the-start', delay: 3 });
    await create(`/${show.name}/copy`, { name: 'late-copy' });
    await create(`/${show.name}/copy`, { name: 'early-copy', delay: 0 });
    expect([await read('late-from-the-start'), await read('late-copy'), await read('early-copy')]).toEqual([
      3, 20.5, 0,
    ]);
  });

  it('ends the vote on air by close, counts late votes, and goes on by open or undo', async () => {
    await show.patch({ delay: 60 });
    const { id } = (await show.addPoll()).json;
    await show.press('next');
    const closed = (await show.press('close')).json.poll;
    expect([closed.status, typeof closed.deadline]).toEqual(['open', 'string']);
    await castBallots(relay.engine, id, 0, 1);
    expect((await show.press('close')).json.poll).toMatchObject({
      deadline: closed.deadline,
      total_votes: 1,
    });
    expect((await show.press('open')).json.poll).toMatchObject({ status: 'open', deadline: null });
    await show.press('close');
    await show.press('undo');
    expect((await ask(`${relay.url}/api/poll/${id}`)).json).toMatchObject({ status: 'open', deadline: null });
  });

  it('is in an archive', async () => {
    await show.patch({ delay: 20.5 });
    const counts = { records: 0, polls: 0, ballots: 0 };
    const lines: string[] = [];
    for await (const part of writeLines(relay.engine.archive, counts, 0)) lines.push(part);
    const line = lines
      .join('')
      .split('\n')
      .find(text => text.includes(`"show:${show.name}"`));
    expect(JSON.parse(JSON.parse(line!).text).delay).toBe(20.5);
  });
});

it.each([
  [0, undefined, undefined],
  [0, 30, 30],
  [20, undefined, 20],
  [2.5, 30, 32.5],
])('with a delay of %d s, what ends on air in %j s closes in %j s', (delay, onAir, closesIn) => {
  expect(closesInOf(delay, onAir)).toBe(closesIn);
});
