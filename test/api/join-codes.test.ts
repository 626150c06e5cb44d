import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openArchive, writeLines } from '../../src/archive/archive-file.ts';
import { importArchive } from '../../src/archive/import-archive.ts';
import { writeNew, writeText } from '../../src/archive/new-file.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { createPollId } from '../../src/poll/create-poll.ts';
import { findJoined, ownerPoll, takeJoinCode } from '../../src/show/join-codes.ts';
import { GOOD_POLL, post, send } from '../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

describe('join codes', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay();
  });
  afterAll(() => relay.close());

  const create = (poll: object = {}, headers: Record<string, string> = {}) =>
    post(relay.url, { poll: { ...GOOD_POLL, join_code: true, ...poll } }, headers);
  const read = (path: string, key: string | undefined) =>
    send(`${relay.url}/api/${path}`, 'GET', undefined, key === undefined ? {} : { 'x-api-key': key });
  const createShow = (show: object) => send(`${relay.url}/api/show`, 'POST', { show });

  it('are in the reply of creation and in reads of a poll, also hidden ones, until it is closed', async () => {
    for (const results_visibility of ['always', 'hidden']) {
      const { status, json } = await create({ results_visibility, show_total_while_hidden: true });
      expect(status).toBe(201);
      const { id, join_code, admin_key } = json;
      expect(join_code).toMatch(/^\d{6}$/);
      expect(await findJoined(relay.engine, join_code)).toEqual({ poll: id });
      const whole = await read(`poll/${id}`, admin_key);
      expect(whole.json).toMatchObject({ join_code, priv: false });
      expect((await read(`poll/${id}/definition`, undefined)).json).toMatchObject({ join_code });
      if (results_visibility === 'always')
        expect((await read(`poll/${id}`, undefined)).json).toMatchObject({ join_code });
      const closed = await send(
        `${relay.url}/api/poll/${id}`,
        'PATCH',
        { poll: { status: 'closed' } },
        admin_key,
      );
      expect(closed.json).not.toHaveProperty('join_code');
      const opened = await send(
        `${relay.url}/api/poll/${id}`,
        'PATCH',
        { poll: { status: 'open' } },
        admin_key,
      );
      expect(opened.json).toMatchObject({ join_code });
    }
    const without = await create({ join_code: false });
    expect(without.json).not.toHaveProperty('join_code');
    expect((await read(`poll/${without.json.id}`, without.json.admin_key)).json).not.toHaveProperty(
      'join_code',
    );
  });

  it('stay the same if a request is repeated, and are others in a copy', async () => {
    const headers = { 'idempotency-key': 'creating-with-a-code-1' };
    const [first, second] = [await create({}, headers), await create({}, headers)];
    expect(second.json).toEqual(first.json);
    const { id, join_code, admin_key } = first.json;
    const copy = await send(`${relay.url}/api/poll/${id}/copy`, 'POST', undefined, admin_key);
    expect(copy.json.join_code).toMatch(/^\d{6}$/);
    expect(copy.json.join_code).not.toBe(join_code);
    expect(await findJoined(relay.engine, copy.json.join_code)).toEqual({ poll: copy.json.id });
    const plain = await send(
      `${relay.url}/api/poll/${id}/copy`,
      'POST',
      { poll: { join_code: false } },
      admin_key,
    );
    expect(plain.json).not.toHaveProperty('join_code');
  });

  it('belong to a show and its copy, each its own, and end with it', async () => {
    const made = await createShow({ name: 'friday-night', join_code: true });
    const { join_code, show_key } = made.json;
    expect(join_code).toMatch(/^\d{6}$/);
    expect(await findJoined(relay.engine, join_code)).toEqual({ show: 'friday-night' });
    expect((await read('show/friday-night', undefined)).json).toMatchObject({ join_code });
    expect((await read('show/friday-night', show_key)).json).toMatchObject({ join_code });
    const copied = await send(
      `${relay.url}/api/show/friday-night/copy`,
      'POST',
      { show: { name: 'saturday-night' } },
      show_key,
    );
    expect(await findJoined(relay.engine, copied.json.join_code)).toEqual({ show: 'saturday-night' });
    await send(`${relay.url}/api/show/friday-night`, 'DELETE', undefined, show_key);
    expect(await findJoined(relay.engine, join_code)).toBe(undefined);
    expect((await createShow({ name: 'sunday-night' })).json).not.toHaveProperty('join_code');
  });

  it('come to polls and shows that are there already, also with votes, and are given up for good', async () => {
    const poll = (await create({ join_code: false })).json;
    const change = (join_code: boolean, more: object = {}, headers: Record<string, string> = {}) =>
      send(
        `${relay.url}/api/poll/${poll.id}`,
        'PATCH',
        { poll: { join_code, ...more } },
        { 'x-api-key': poll.admin_key, ...headers },
      );
    const first = (await change(true)).json.join_code;
    expect(first).toMatch(/^\d{6}$/);
    // Pressed twice, and from two places.
    const again = await Promise.all([change(true), change(true, { title: 'Which song then?' })]);
    expect(again.map(({ json }) => json.join_code)).toEqual([first, first]);
    expect(await findJoined(relay.engine, first)).toEqual({ poll: poll.id });
    await relay.cast(poll.id, 0, 3);
    expect((await change(false)).json).not.toHaveProperty('join_code');
    expect(await findJoined(relay.engine, first)).toBe(undefined);
    expect(await takeJoinCode(relay.engine, first, ownerPoll(createPollId()))).toBe(false);
    const second = await change(true);
    expect(second.json).toMatchObject({ join_code: expect.not.stringContaining(first), total_votes: 3 });
    expect(second.json).not.toHaveProperty('edited_at');
    expect(await findJoined(relay.engine, second.json.join_code)).toEqual({ poll: poll.id });
    // Two at once agree.
    await change(false);
    const both = await Promise.all([change(true), change(true)]);
    expect(both[0]!.json.join_code).toBe(both[1]!.json.join_code);
    expect((await change(true, {}, { 'x-api-key': poll.view_key })).status).toBe(403);

    const { show_key } = (await createShow({ name: 'late-night' })).json;
    const show = (join_code: boolean) =>
      send(`${relay.url}/api/show/late-night`, 'PATCH', { show: { join_code } }, show_key);
    const given = await Promise.all([show(true), show(true)]);
    const code = given[0]!.json.join_code;
    expect(given[1]!.json.join_code).toBe(code);
    expect(await findJoined(relay.engine, code)).toEqual({ show: 'late-night' });
    expect((await show(false)).json).not.toHaveProperty('join_code');
    expect(await findJoined(relay.engine, code)).toBe(undefined);
    expect(await takeJoinCode(relay.engine, code, ownerPoll(createPollId()))).toBe(false);
  });

  it('move with an archive, except where the code belongs to another poll', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tallycast-codes-'));
    const path = join(folder, 'archive.jsonl');
    const [kept, lost] = [(await create()).json, (await create()).json];
    const show = (await createShow({ name: 'monday-night', join_code: true })).json;
    const counts = { records: 0, polls: 0, ballots: 0 };
    await writeNew(path, part => writeText(writeLines(relay.engine.archive, counts, 1), part, false));
    const engine = await openEngine({ dataDir: join(folder, 'data') });
    const { items, close } = await openArchive(path);
    try {
      expect(await takeJoinCode(engine, lost.join_code, ownerPoll(createPollId()))).toBe(true);
      await importArchive(engine, { items, nowMs: Date.now() });
      expect(await findJoined(engine, kept.join_code)).toEqual({ poll: kept.id });
      expect(await findJoined(engine, show.join_code)).toEqual({ show: 'monday-night' });
      expect((await engine.polls.find(lost.id))?.poll.joinCode).toBe(undefined);
      // Again, it changes nothing.
      await importArchive(engine, { items, nowMs: Date.now() });
      expect(await findJoined(engine, kept.join_code)).toEqual({ poll: kept.id });
    } finally {
      await close();
      await engine.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
