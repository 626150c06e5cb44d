import { beforeAll, expect, it } from 'vitest';
import { ask, expectError } from '../../support/api-request.ts';
import type { TestRelay } from '../../support/test-relay.ts';
import { type TestShow, takeShow } from '../../support/test-show.ts';
import { voidBallots } from '../../support/void-ballots.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';

/** @param relays two on one engine, or twice the same one */
export function rundownClaims(relays: () => readonly [TestRelay, TestRelay]): void {
  let relay: TestRelay;
  let other: TestRelay;
  let show: TestShow;
  beforeAll(() => {
    [relay, other] = relays();
  });

  const taken = async (polls = 0): Promise<string[]> => {
    show = await takeShow(relay);
    return show.fill(polls);
  };
  const onAir = async () => (await show.get()).json.on_air;
  const remove = (id: string, key = show.key) =>
    ask(`${relay.url}/api/poll/${id}`, { method: 'DELETE', headers: { 'x-api-key': key } });

  it('appends polls, and shows its order only with the key', async () => {
    const [one, two] = await taken(2);
    const stranger = await relay.create();
    expect((await show.patch({ rundown: [two, stranger.id, one] })).json).toMatchObject({
      rundown: [two, stranger.id, one],
      own: [two, one],
    });
    const { headers, json } = await show.get();
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(json).toEqual({
      success: 1,
      view_key: expect.stringMatching(/^show_view_/),
      name: show.name,
      title: '',
      on_air: null,
      rundown: [two, stranger.id, one],
      own: [two, one],
      place: null,
      version: 4,
      looks: {},
      final_two: false,
      close_before_next: false,
      winner: 'close',
      aired_winner: null,
      chat: [],
      chat_state: [],
      undo: { id: expect.any(String), press: 'add', poll: stranger.id, on_air: null },
      screens: 0,
      phones: 0,
      look: null,
      logo: null,
      ground: null,
      delay: 0,
      now: expect.any(Number),
    });
    const elsewhere = await show.at(other.url).get('', OPERATOR_KEY);
    expect(elsewhere.json).toEqual({ ...json, view_key: undefined, now: expect.any(Number) });
    const { json: seen, text } = await ask(`${relay.url}/api/show/${show.name}`);
    expect([Object.keys(seen), text.includes(two!)]).toEqual([
      ['success', 'name', 'title', 'on_air', 'look', 'logo', 'ground', 'delay'],
      false,
    ]);
    for (const path of ['', '/rundown']) {
      expectError(await show.get(path, 'show_of-another-show'), 403, 'api_key_rejected');
      expectError(
        await ask(`${relay.url}/api/show/${show.name}${path}?key=${show.key}`),
        403,
        'api_key_rejected',
      );
    }
    expectError(await ask(`${relay.url}/api/show/${show.name}/rundown`), 401, 'api_key_required');
  });

  it('undo puts on air again what was on air before, one press after the other, from any relay', async () => {
    const [one, two, three] = await taken(3);
    await show.press('next');
    await show.press('next');
    await show.patch({ on_air: three });
    expect((await show.get()).json).toMatchObject({
      on_air: three,
      undo: { press: 'take', poll: three, on_air: two },
    });
    const undone = await show.at(other.url).press('undo');
    expect(undone.json).toMatchObject({
      on_air: two,
      place: two,
      undo: { on_air: one },
      undone: { press: 'take', poll: three, on_air: three, seen: false },
    });
    // `next` continues from there.
    expect((await show.press('next')).json.on_air).toBe(three);
    for (const before of [two, one, null]) expect((await show.press('undo')).json.on_air).toBe(before);
    for (const length of [2, 1, 0]) expect((await show.press('undo')).json.rundown).toHaveLength(length);
    expect((await show.get()).json.undo).toBeNull();
    expectError(await show.press('undo'), 409, 'nothing_to_undo');
    expect(await onAir()).toBeNull();
  });

  it('undo is carried out once for one Idempotency-Key, skips deleted polls, and brings back a cleared one', async () => {
    const [one, two, three] = await taken(3);
    for (const id of [one, two, three]) await show.patch({ on_air: id });
    await remove(two!);
    const again = { 'idempotency-key': 'an-undo-that-is-sent-twice' };
    expect((await show.press('undo', undefined, again)).json).toMatchObject({
      on_air: one,
      undone: { on_air: three },
    });
    expect((await show.press('undo', undefined, again)).json).toMatchObject({ on_air: one, undone: null });
    await show.press('clear');
    expect((await show.press('undo')).json.on_air).toBe(one);
  });

  it('remembers twenty changes for undo', async () => {
    const [one, two] = await taken(2);
    for (let press = 0; press < 22; press += 1) await show.patch({ on_air: press % 2 === 0 ? one : two });
    for (let press = 0; press < 20; press += 1) expect((await show.press('undo')).status).toBe(200);
    expectError(await show.press('undo'), 409, 'nothing_to_undo');
  });

  it.each(['next', 'previous', 'clear', 'undo', 'take'])(
    'two presses of %s that see the same on air move one step, and one is told',
    async button => {
      const polls = await taken(4);
      for (const id of polls.slice(0, 3)) await show.patch({ on_air: id });
      const seen = { if_on_air: polls[2] };
      const press = ({ patch, press }: TestShow) =>
        button === 'take' ? patch({ on_air: polls[0], ...seen }) : press(button, seen);
      const replies = await Promise.all([press(show), press(show.at(other.url))]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
      expectError(replies.find(({ status }) => status === 409)!, 409, 'on_air_changed');
      const wanted = { next: polls[3], previous: polls[1], clear: null, undo: polls[1], take: polls[0] }[
        button
      ];
      expect(await onAir()).toBe(wanted);
      expectError(await show.press('next', { if_on_air: 'no id' }), 400, 'invalid_request');
    },
  );

  it('recognizes its own poll after it was removed and added again', async () => {
    const [one, two] = await taken(2);
    expect((await show.patch({ rundown: [two] })).json).toMatchObject({ rundown: [two], own: [two, one] });
    const { removed } = (await show.get('/rundown')).json;
    expect(removed).toMatchObject([{ id: one, owned: true }]);
    expect((await show.patch({ rundown: [one, two] })).json).toMatchObject({ own: [one, two] });
  });

  it('moves by next and previous, and stops at both ends', async () => {
    const ids = await taken(3);
    expectError(await show.press('previous'), 409, 'rundown_start');
    for (const id of ids) expect((await show.press('next')).json).toMatchObject({ on_air: id, skipped: [] });
    expectError(await show.press('next'), 409, 'rundown_end');
    expect(await onAir()).toBe(ids[2]);
    expect((await show.press('previous', {})).json.on_air).toBe(ids[1]);
    expect((await show.press('previous')).json.on_air).toBe(ids[0]);
    expectError(await show.press('previous'), 409, 'rundown_start');
    expect(await onAir()).toBe(ids[0]);
  });

  it('explains what to do if it is empty', async () => {
    await taken();
    for (const button of ['next', 'previous'])
      expect((await show.press(button)).json.error.message).toContain(
        'The rundown is empty. Add polls first',
      );
    expect((await show.press('clear')).status).toBe(200);
  });

  it('continues after a clear, and after a poll that is not in it', async () => {
    const ids = await taken(3);
    const { id: stranger } = await relay.create();
    await show.press('next');
    await show.press('next');
    for (const interlude of [() => show.press('clear'), () => show.patch({ on_air: stranger })]) {
      await interlude();
      expect((await show.press('previous')).json.on_air).toBe(ids[1]);
      await interlude();
      expect((await show.press('next')).json.on_air).toBe(ids[2]);
      await show.patch({ on_air: ids[1] });
    }
  });

  it('keeps its place if the poll on air is removed from it', async () => {
    const [one, two, three] = await taken(3);
    await show.patch({ on_air: two });
    expectError(await show.patch({ rundown: [one, three] }), 409, 'confirm_required');
    expect((await show.patch({ rundown: [one, three], confirm: true })).json.on_air).toBe(two);
    expect((await show.press('next')).json.on_air).toBe(three);
    await show.patch({ on_air: two, rundown: [three, one] });
    expect((await show.press('previous')).json.on_air).toBe(three);
  });

  it('skips deleted polls and lists them', async () => {
    const [one, two, three] = await taken(3);
    await show.press('next');
    await remove(two!);
    expect((await show.press('next')).json).toMatchObject({ on_air: three, skipped: [two] });
    expect((await show.press('previous')).json).toMatchObject({ on_air: one, skipped: [two] });
    expect((await show.get('/rundown')).json.rundown[1]).toEqual({ id: two, gone: true });
    await remove(three!);
    const end = await show.press('next');
    expectError(end, 409, 'rundown_end');
    expect(end.json.error.message).toContain('deleted');
    // The poll on air can be deleted, too.
    await remove(one!);
    expect(await onAir()).toBe(one);
    expect((await show.patch({ rundown: [three, one, two] })).json.rundown).toEqual([three, one, two]);
    expect((await show.patch({ rundown: [], confirm: true })).json).toMatchObject({
      rundown: [],
      own: expect.arrayContaining([one]),
      on_air: one,
    });
  });

  it.each([
    ['a poll twice', (id: string) => [id, id], 'show.rundown.1'],
    ['an invalid id', (id: string) => [id, 'x'], 'show.rundown.1'],
    [
      'more than a hundred',
      () => Array.from({ length: 101 }, (_, n) => `${100_000_000_000 + n}`),
      'show.rundown',
    ],
    ['a string', (id: string) => id, 'show.rundown'],
  ])('rejects %s', async (_, rundown, path) => {
    const [id] = await taken(1);
    const reply = await show.patch({ title: 'Lost', rundown: rundown(id!) });
    expectError(reply, 400, 'invalid_request');
    expect(reply.json.error.issues[0].path).toBe(path);
    expect((await show.get()).json).toMatchObject({ rundown: [id], title: '' });
  });

  it('rejects unknown polls, each with its path', async () => {
    const [id] = await taken(1);
    const reply = await show.patch({ rundown: ['nobodyisHere', id, 'nobodyisThere'.slice(0, 12)] });
    expectError(reply, 404, 'poll_not_found');
    expect(reply.json.error.issues.map(({ path }: { path: string }) => path)).toEqual([
      'show.rundown.0',
      'show.rundown.2',
    ]);
    expect((await show.get()).json.rundown).toEqual([id]);
  });

  it('holds a hundred polls, and one more is not created', async () => {
    const [id] = await taken(1);
    const fillers = Array.from({ length: 99 }, (_, n) => `${100_000_000_000 + n}`);
    const text = await relay.engine.records.find(`show:${show.name}`);
    const full = JSON.stringify({ ...JSON.parse(text!), rundown: [id, ...fillers] });
    await relay.engine.records.put(`show:${show.name}`, full);
    const before = await relay.engine.polls.listPublic(1_000);
    expectError(await show.addPoll(), 409, 'rundown_full');
    expect(await relay.engine.polls.listPublic(1_000)).toEqual(before);
  });

  it('is read with the state of its polls, and with hidden counts if the key gives access', async () => {
    await taken();
    const hidden = { results_visibility: 'hidden' };
    const { json: own } = await show.addPoll({ ...hidden, title: 'Ours' });
    const foreign = await relay.create({ ...hidden, title: 'Theirs' });
    const { id: open } = await relay.create({ deadline: '2090-01-01T00:00:00Z', verifiable: true });
    for (const id of [own.id, foreign.id, open]) await relay.cast(id, 0, 2);
    for (const id of [own.id, foreign.id])
      await voidBallots(relay.engine.polls, id, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
    await show.patch({ rundown: [own.id, foreign.id, open] });
    const settings = {
      deadline: null,
      results_visibility: 'hidden',
      verifiable: false,
      change_vote: false,
    };
    const entry = { gone: false, status: 'open', ...settings };
    const counts = { total_votes: 2, total_voters: 2 };
    const removed = { total_votes: 0, total_voters: 0, voided_votes: 2 };
    const reply = await show.get('/rundown');
    expect(reply.headers.get('cache-control')).toBe('private, no-store');
    expect(reply.json.rundown).toEqual([
      { ...entry, id: own.id, title: 'Ours', owned: true, mip: false, ...removed },
      { ...entry, id: foreign.id, title: 'Theirs', owned: false, total_votes: null, total_voters: null },
      expect.objectContaining({
        id: open,
        deadline: '2090-01-01T00:00:00.000Z',
        ...counts,
        verifiable: true,
      }),
    ]);
    const { json } = await show.get('/rundown', OPERATOR_KEY);
    expect(json.rundown[1]).toMatchObject({ owned: false, ...removed });
  });
}
