import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiReply, ask, expectError, issuesOf, send } from '../support/api-request.ts';
import { heldClock } from '../support/held-clock.ts';
import { png } from '../support/images.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { type TestShow, takeShow } from '../support/test-show.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const LOOK = { style: 'donut', theme: 'light', accent: '#1e90ff' };

let names = 0;
function freshName(): string {
  names += 1;
  return `copied-show-${names}`;
}

describe('copies', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY] });
  });
  afterAll(() => relay.close());

  const post = (path: string, body: unknown, key?: string, headers: Record<string, string> = {}) =>
    send(`${relay.url}/api/${path}`, 'POST', body, { ...(key && { 'x-api-key': key }), ...headers });
  const copy = (id: string, key?: string, poll?: unknown, headers?: Record<string, string>) =>
    post(`poll/${id}/copy`, poll === undefined ? undefined : { poll }, key, headers);
  const change = (id: string, poll: unknown, key: string) =>
    send(`${relay.url}/api/poll/${id}`, 'PATCH', { poll }, key);
  const stored = async ({ json }: ApiReply) => (await relay.engine.polls.find(json.id))!;

  describe('of a poll', () => {
    it('have its texts and settings, no votes, new keys, and are upcoming', async () => {
      const flags = { mip: true, ma: true, vpn: true, co: 1 };
      const image = 'https://example.org/a.png';
      const made = await relay.create({ ...flags, image, description: 'a\nb', closes_in: 60 });
      await relay.cast(made.id);
      await change(made.id, { title: 'Corrected?' }, made.admin_key);
      const reply = await copy(made.id, made.admin_key);
      expect(reply.status).toBe(201);
      const { id } = reply.json;
      expect(reply.json).toMatchObject({ copy_of: made.id, show: null, status: 'upcoming', ignored: [] });
      expect(reply.json).toMatchObject({ deadline: null, closes_in: 60, success: 1, content_id: id });
      expect(reply.headers.get('location')).toBe(`/api/poll/${id}`);
      expect(reply.headers.get('cache-control')).toBe('no-store');
      const [original, copied] = [(await relay.engine.polls.find(made.id))!.poll, (await stored(reply)).poll];
      expect(copied).toMatchObject({ title: 'Corrected?', description: 'a\nb', image });
      expect(copied.settings).toEqual(original.settings);
      expect(copied.answers.map(({ text }) => text)).toEqual(original.answers.map(({ text }) => text));
      expect(copied.answers.some(({ id }) => original.answers.some(other => other.id === id))).toBe(false);
      expect(copied.earlier).toBeUndefined();
      expect(copied.networkKey).not.toBe(original.networkKey);
      const results = await relay.read(id);
      expect(results).toMatchObject({ version: 1, total_votes: 0, total_voters: 0, status: 'upcoming' });
      expect(results).not.toHaveProperty('edited_at');
      expectError(await change(id, { status: 'open' }, made.admin_key), 403, 'api_key_rejected');
      const opened = await change(id, { status: 'open' }, reply.json.admin_key);
      expect(Date.parse(opened.json.deadline) - opened.json.timestamp * 1_000).toBeGreaterThan(50_000);
    });

    it('have its number of choices and the order of its answers, without which a copy without ma does', async () => {
      const choices = { ma: true, min_choices: 1, max_choices: 2, answer_order: 'random' };
      const { id, admin_key } = await relay.create({ ...choices, results_visibility: 'after_vote' });
      const same = await stored(await copy(id, admin_key));
      expect(same.poll).toMatchObject({ minChoices: 1, maxChoices: 2, answerOrder: 'random' });
      expect(same.results.resultsVisibility).toBe('after_vote');
      const single = (await stored(await copy(id, admin_key, { ma: false, answer_order: 'given' }))).poll;
      expect([single.minChoices, single.maxChoices, single.answerOrder]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    });

    it('have the state that was prepared, whatever became of it on air', async () => {
      const prepared = { status: 'upcoming', results_visibility: 'hidden', closes_in: 30 };
      const { id, admin_key } = await relay.create(prepared);
      await change(id, { status: 'open' }, admin_key);
      await change(id, { results_visibility: 'always', status: 'closed', deadline: null }, admin_key);
      const first = await copy(id, admin_key);
      expect((await stored(first)).results).toMatchObject({
        resultsVisibility: 'hidden',
        closesInMs: 30_000,
      });
      // A copy of the copy, prepared in another way before its opening.
      const key = first.json.admin_key;
      await change(first.json.id, { closes_in: 45 }, key);
      await change(first.json.id, { results_visibility: 'always' }, key);
      await change(first.json.id, { status: 'open' }, key);
      const second = await copy(first.json.id, key);
      expect((await stored(second)).results).toMatchObject({
        resultsVisibility: 'always',
        closesInMs: 45_000,
      });
      await change(second.json.id, { deadline: null }, second.json.admin_key);
      const third = await copy(second.json.id, second.json.admin_key);
      expect((await stored(third)).results.closesInMs).toBeUndefined();
    });

    it('keep a deadline to come, and neither a passed one nor what waits for it', async () => {
      const deadline = '2090-01-01T00:00:00.000Z';
      const made = await relay.create({ deadline, results_visibility: 'after_deadline' });
      const kept = await copy(made.id, made.admin_key);
      expect(kept.json.deadline).toBe(deadline);
      expect((await relay.engine.polls.find(kept.json.id))?.results.resultsVisibility).toBe('after_deadline');
      await relay.engine.polls.change(made.id, { deadlineMs: Date.now() - 1_000 });
      const late = await copy(made.id, made.admin_key);
      expect((await stored(late)).results).toMatchObject({ deadlineMs: null, resultsVisibility: 'hidden' });
      const asked = await copy(made.id, made.admin_key, { results_visibility: 'after_deadline' });
      expectError(asked, 409, 'deadline_missing');
      expect(issuesOf(asked)).toHaveProperty('poll.results_visibility');
      const fresh = { results_visibility: 'after_deadline', closes_in: 20 };
      expect((await copy(made.id, made.admin_key, fresh)).json.closes_in).toBe(20);
      const without = await copy(kept.json.id, kept.json.admin_key, { deadline: null });
      expect(without.json.deadline).toBeNull();
    });

    it('have what the body asks for', async () => {
      const made = await relay.create({ mip: true, closes_in: 60 });
      const given = {
        title: ' Semi-final? ',
        answers: ['A', 'B', 'C'],
        mip: 0,
        status: 'open',
        titel: 'x',
        results_visibility: 'hidden',
      };
      const reply = await post(`poll/${made.id}/copy`, { poll: given, extra: 1 }, made.admin_key);
      expect(reply.json).toMatchObject({ status: 'open', ignored: ['extra', 'titel'] });
      expect(reply.json.deadline).not.toBeNull();
      const { poll, results } = await stored(reply);
      expect(poll).toMatchObject({ title: 'Semi-final?', settings: { sharedAddress: false } });
      expect(poll.answers.map(({ text }) => text)).toEqual(['A', 'B', 'C']);
      expect(results.resultsVisibility).toBe('hidden');
    });

    it.each([
      [{ title: '' }, 'poll.title'],
      [{ answers: ['A', 'A '] }, 'poll.answers.1'],
      [{ answers: null }, 'poll.answers'],
      [{ closes_in: 10, deadline: '2090-01-01T00:00:00Z' }, 'poll.closes_in'],
      [{ deadline: '2000-01-01T00:00:00Z' }, 'poll.deadline'],
      [{ mip: 'yes' }, 'poll.mip'],
      [[], 'poll'],
    ])('reject %j', async (poll, path) => {
      const { id, admin_key } = await relay.create();
      const reply = await copy(id, admin_key, poll);
      expectError(reply, 400, 'invalid_request');
      expect(Object.keys(issuesOf(reply))).toEqual([path]);
    });

    it('need a key that manages the poll', async () => {
      const { id, view_key } = await relay.create();
      expectError(await copy(id), 401, 'api_key_required');
      const { admin_key: foreign } = await relay.create();
      for (const key of [view_key, foreign, (await takeShow(relay)).key])
        expectError(await copy(id, key), 403, 'api_key_rejected');
      expect((await copy(id, OPERATOR_KEY)).json).toMatchObject({ copy_of: id, show: null });
      expectError(await copy('nobodyisHere', OPERATOR_KEY), 404, 'poll_not_found');
      expectError(await copy(`rehearsal-${id}`, OPERATOR_KEY), 405, 'method_not_allowed');
    });

    it('are made once for one Idempotency-Key, even if the original has changed', async () => {
      const made = await relay.create();
      const headers = { 'idempotency-key': 'copy-of-a-poll-for-a-test' };
      const first = await copy(made.id, made.admin_key, {}, headers);
      await change(
        made.id,
        { title: 'Other?', answers: ['A', 'B', 'C'].map(answer => ({ answer })) },
        made.admin_key,
      );
      const again = await copy(made.id, made.admin_key, {}, headers);
      expect([again.status, again.json]).toEqual([201, first.json]);
      expectError(
        await copy(made.id, made.admin_key, { title: 'X' }, headers),
        409,
        'idempotency_key_reused',
      );
      const other = await relay.create();
      expect((await copy(other.id, other.admin_key, {}, headers)).json.copy_of).toBe(other.id);
    });
  });

  describe('of a poll that a show owns', () => {
    let show: TestShow;
    beforeAll(async () => {
      show = await takeShow(relay);
    });

    it('follow the original in the rundown, with the key of the show', async () => {
      const [one, two] = (await show.fill(2)) as [string, string];
      const headers = { 'idempotency-key': 'copy-in-a-rundown-for-a-test' };
      const reply = await copy(one, show.key, {}, headers);
      expect(reply.json).toMatchObject({ copy_of: one, show: show.name, status: 'upcoming' });
      expect((await copy(one, show.key, {}, headers)).json).toEqual(reply.json);
      const { id } = reply.json;
      const { json } = await show.get();
      expect(json).toMatchObject({ rundown: [one, id, two], own: expect.arrayContaining([one, two, id]) });
      expect((await stored(reply)).poll).toMatchObject({
        settings: { isPrivate: true },
        show: { name: show.name },
      });
      expect((await change(id, { title: 'Other?' }, show.key)).status).toBe(200);
      expect((await copy(two, OPERATOR_KEY)).json.show).toBe(show.name);
    });

    it('stand at the end if the original is not in the rundown', async () => {
      const [one, two] = (await show.fill(2)) as [string, string];
      await show.patch({ rundown: [two] });
      const { json } = await copy(one, show.key);
      expect((await show.get()).json.rundown).toEqual([two, json.id]);
    });

    it('are polls of their own with the admin key, and unlisted', async () => {
      const { json } = await show.addPoll();
      const before = (await show.get()).json.rundown;
      const reply = await copy(json.id, json.admin_key);
      expect(reply.json.show).toBeNull();
      expect((await stored(reply)).poll).toMatchObject({ settings: { isPrivate: true } });
      expect((await stored(reply)).poll.show).toBeUndefined();
      expect((await show.get()).json.rundown).toEqual(before);
      expectError(await change(reply.json.id, { title: 'X' }, show.key), 403, 'api_key_rejected');
    });

    it('find a full rundown', async () => {
      const full = await takeShow(relay);
      const [id] = (await full.fill(1)) as [string];
      const others = await Promise.all(Array.from({ length: 99 }, () => relay.create()));
      await full.patch({ rundown: [id, ...others.map(({ id }) => id)] });
      expectError(await copy(id, full.key), 409, 'rundown_full');
    });
  });

  describe('of a show', () => {
    const copyShow = (name: string, body: unknown, key?: string, headers?: Record<string, string>) =>
      post(`show/${name}/copy`, { show: body }, key, headers);

    it('have its polls in order, look and logo, no votes and new keys', async () => {
      const show = await takeShow(relay);
      const [one, two] = [
        (await show.addPoll({ status: 'upcoming', closes_in: 30, mip: true })).json.id,
        (await show.addPoll({ results_visibility: 'hidden' })).json.id,
      ];
      const foreign = await relay.create({ title: 'Foreign?' });
      const gone = (await show.addPoll()).json.id;
      await show.patch({ rundown: [two, foreign.id, gone, one], title: 'Friday', look: LOOK });
      await relay.engine.polls.remove(gone);
      await relay.cast(two);
      const image = png(64, 32);
      await ask(`${relay.url}/api/show/${show.name}/logo`, {
        method: 'PUT',
        headers: { 'x-api-key': show.key, 'content-type': 'image/png' },
        body: new Uint8Array(image),
      });
      await show.patch({ on_air: two });
      const name = freshName();
      const reply = await copyShow(show.name, { name, extra: 1 }, show.key);
      expect(reply.status).toBe(201);
      expect(reply.headers.get('location')).toBe(`/api/show/${name}`);
      const { polls, show_key } = reply.json;
      expect(reply.json).toMatchObject({
        success: 1,
        name,
        title: 'Friday',
        on_air: null,
        ignored: ['extra'],
      });
      expect(reply.json).toMatchObject({ copy_of: show.name, left_out: [foreign.id, gone] });
      expect(reply.json.links.desk).toContain(`/desk/${name}#key=${show_key}`);
      expect(polls).toMatchObject([{ copy_of: two }, { copy_of: one }]);

      const headers = { 'x-api-key': show_key };
      const { json } = await ask(`${relay.url}/api/show/${name}`, { headers });
      const ids = polls.map(({ id }: { id: string }) => id);
      expect(json).toMatchObject({ rundown: ids, own: ids, on_air: null, place: null, look: LOOK });
      const logo = await fetch(`${relay.url}${json.logo}`);
      expect(Buffer.from(await logo.arrayBuffer())).toEqual(image);
      expect(json.logo).toContain(`/api/show/${name}/logo/`);
      const rundown = await ask(`${relay.url}/api/show/${name}/rundown`, { headers });
      expect(rundown.json.rundown).toMatchObject([
        { owned: true, status: 'upcoming', results_visibility: 'hidden', mip: false, total_votes: 0 },
        { owned: true, status: 'upcoming', closes_in: 30, mip: true, total_votes: 0 },
      ]);
      const listed = await relay.engine.polls.listPublic(1_000);
      expect(ids.filter((id: string) => listed.includes(id))).toEqual([]);
      expect((await change(ids[0], { status: 'open' }, show_key)).status).toBe(200);
      expect((await change(ids[1], { status: 'open' }, polls[1].admin_key)).status).toBe(200);
      expectError(await change(ids[0], { status: 'closed' }, show.key), 403, 'api_key_rejected');
    });

    it('take another title, also an empty one', async () => {
      const show = await takeShow(relay);
      await show.patch({ title: 'Friday' });
      for (const title of ['Saturday', '']) {
        const { json } = await copyShow(show.name, { name: freshName(), title }, show.key);
        expect(json).toMatchObject({ title, polls: [], left_out: [] });
      }
    });

    it('need the key of the show, and a free name, and leave nothing otherwise', async () => {
      const [show, other] = [await takeShow(relay), await takeShow(relay)];
      const [id] = await show.fill(1);
      expectError(await copyShow(show.name, { name: freshName() }), 401, 'api_key_required');
      expectError(await copyShow(show.name, { name: freshName() }, other.key), 403, 'api_key_rejected');
      expectError(await copyShow(show.name, { name: other.name }, show.key), 409, 'show_name_taken');
      expectError(await copyShow(show.name, { name: 'NO' }, show.key), 400, 'invalid_request');
      expectError(await post(`show/${show.name}/copy`, undefined, show.key), 400, 'invalid_request');
      expectError(await copyShow('no-such-show', { name: freshName() }, OPERATOR_KEY), 404, 'show_not_found');
      expect((await show.get()).json.rundown).toEqual([id]);
      expect((await copyShow(show.name, { name: freshName() }, OPERATOR_KEY)).status).toBe(201);
    });

    it('are made once for one Idempotency-Key', async () => {
      const show = await takeShow(relay);
      await show.fill(2);
      const headers = { 'idempotency-key': 'copy-of-a-show-for-a-test' };
      const name = freshName();
      const first = await copyShow(show.name, { name }, show.key, headers);
      await show.fill(1);
      const again = await copyShow(show.name, { name }, show.key, headers);
      expect([again.status, again.json]).toEqual([201, first.json]);
      expect(again.json.polls).toHaveLength(2);
    });
  });

  it('cost the bytes of everything that they store', async () => {
    const poor = await startTestRelay({ clock: heldClock(), createBytesPerDay: 66_000 });
    const post = (path: string, body: unknown, key: string) =>
      send(`${poor.url}/api/${path}`, 'POST', body, key);
    const show = await takeShow(poor);
    const { json } = await show.addPoll({ description: 'x'.repeat(4_900) });
    const refused = await post(`show/${show.name}/copy`, { show: { name: freshName() } }, show.key);
    expect(refused.status).toBe(201);
    const statuses: number[] = [];
    for (let tries = 0; tries < 5; tries += 1)
      statuses.push((await post(`poll/${json.id}/copy`, {}, json.admin_key)).status);
    expect(statuses.at(-1)).toBe(429);
    expectError(
      await post(`show/${show.name}/copy`, { show: { name: freshName() } }, show.key),
      429,
      'rate_limited',
    );
    await poor.close();
  });

  it('outside of a show need an operator key where creating does', async () => {
    const strict = await startTestRelay({ createRequiresKey: true, operatorKeys: [OPERATOR_KEY] });
    const post = (path: string, body: unknown, key: string) =>
      send(`${strict.url}/api/${path}`, 'POST', body, key);
    const show = await takeShow(strict, OPERATOR_KEY);
    const { json } = await show.addPoll();
    expectError(await post(`poll/${json.id}/copy`, {}, json.admin_key), 403, 'api_key_rejected');
    expectError(
      await post(`show/${show.name}/copy`, { show: { name: freshName() } }, show.key),
      403,
      'api_key_rejected',
    );
    expect((await post(`poll/${json.id}/copy`, {}, show.key)).json.show).toBe(show.name);
    const body = { show: { name: freshName() } };
    expect((await post(`show/${show.name}/copy`, body, OPERATOR_KEY)).status).toBe(201);
    await strict.close();
  });
});
