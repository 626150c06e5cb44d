import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawJoinCode, ownerShow } from '../../src/show/join-codes.ts';
import { createShow, createShowId } from '../../src/show/shows.ts';
import { heldClock } from '../support/held-clock.ts';
import { fieldValue, visibleText } from './visitor.ts';
import { createPollWithCode, startVotingSite, type VotingSite } from './voting-site.ts';

describe('a join code', () => {
  let site: VotingSite;
  let poll: { readonly id: string; readonly code: string };
  beforeAll(async () => {
    site = await startVotingSite({ clock: heldClock() });
    poll = await createPollWithCode(site.services.engine);
  });
  afterAll(() => site.close());

  /** No code of this test has seven digits. */
  const wrong = (nth: number) => `${1_000_000 + nth}`;

  it('leads to its poll, however it is typed, and whether or not it is in the path', async () => {
    const visitor = site.visitor();
    const [first, last] = [poll.code.slice(0, 3), poll.code.slice(3)];
    for (const path of [
      `/join/${poll.code}`,
      `/join/${first}-${last}`,
      `/join/${first}%20${last}`,
      `/join?code=${first}+${last}`,
      `/join?code=%20${first}%E2%80%93${last}`,
    ]) {
      const reply = await visitor.get(path);
      expect([reply.statusCode, reply.headers.location]).toEqual([302, `/${poll.id}`]);
      expect(reply.headers['cache-control']).toBe('no-store');
    }
  });

  it('leads to the page of the audience of its show', async () => {
    const { engine } = site.services;
    const id = createShowId();
    const joinCode = await drawJoinCode(engine, ownerShow('friday-night', id));
    await createShow(engine, { name: 'friday-night', id, title: '', joinCode }, 'f'.repeat(64));
    expect((await site.visitor().get(`/join/${joinCode}`)).headers.location).toBe('/show/friday-night');
  });

  it('stands in large figures on the share page, on the manage page until the close, and on the share page of its show', async () => {
    const visitor = site.visitor();
    const once = fieldValue((await visitor.get('/new')).body, 'once')!;
    const form = { once, title: 'Lunch?', answer: ['Soup', 'Salad'], mip: '0', join_code: '1' };
    const share = (await visitor.post('/new', form)).body;
    const id = /data-created="(\w+)"/.exec(share)![1]!;
    const key = /data-key="([\w-]+)"/.exec(share)![1]!;
    const code = (await site.services.engine.polls.find(id))!.poll.joinCode!;
    const large = (code: string) => `/join ${code.slice(0, 3)} ${code.slice(3)}`;
    expect(visibleText(share)).toContain(large(code));
    expect(share).toContain(`/join/${code}"`);
    await visitor.post(`/${id}/manage/key`, { key });
    expect(visibleText((await visitor.get(`/${id}/manage`)).body)).toContain(large(code));
    const manage = async (join_code: string) =>
      visibleText((await visitor.post(`/${id}/manage/join-code`, { join_code })).body);
    expect(await manage('0')).toBe('');
    expect(visibleText((await visitor.get(`/${id}/manage`)).body)).not.toContain('/join');
    await manage('1');
    await manage('1');
    const given = (await site.services.engine.polls.find(id))!.poll.joinCode!;
    expect(given).not.toBe(code);
    expect(visibleText((await visitor.get(`/${id}/manage`)).body)).toContain(large(given));
    await visitor.post(`/${id}/manage/close`, {});
    expect(visibleText((await visitor.get(`/${id}/manage`)).body)).not.toContain(large(code));
    const showId = createShowId();
    const joinCode = await drawJoinCode(site.services.engine, ownerShow('late-night', showId));
    await createShow(
      site.services.engine,
      { name: 'late-night', id: showId, title: '', joinCode },
      'f'.repeat(64),
    );
    expect(visibleText((await visitor.get('/show/late-night/share')).body)).toContain(large(joinCode));
  });

  it('is asked for by a form without a script, also on the home page', async () => {
    for (const path of ['/', '/join']) {
      const { statusCode, body } = await site.visitor().get(path);
      expect(statusCode).toBe(200);
      expect(body).toMatch(
        /<form method="get" action="\/join"[^>]*>[\s\S]*<input name="code"[^>]* inputmode="numeric"/,
      );
      expect(visibleText(body)).toContain('Enter a code');
    }
  });

  it.each([
    ['en', 'There’s no poll with this code'],
    ['de', 'Zu diesem Code gibt es keine Umfrage'],
    ['ar', 'لا يوجد استطلاع بهذا الرمز'],
  ])('that is wrong is said to be so in words: %s', async (language, words) => {
    for (const typed of [wrong(1), 'abc']) {
      const { statusCode, body } = await site
        .visitor()
        .get(`/join/${typed}`, { 'accept-language': language });
      expect(statusCode).toBe(404);
      expect(visibleText(body)).toContain(words);
      expect(body).toContain(`value="${typed}"`);
    }
  });

  it('is not found by a network that has sent 20 wrong ones this minute, one by one or all at once', async () => {
    for (const isAtOnce of [false, true]) {
      const address = isAtOnce ? '203.0.113.2' : '203.0.113.1';
      const statuses: number[] = [];
      const send = async (nth: number) => {
        statuses.push((await site.visitor({ address }).get(`/join/${wrong(nth)}`)).statusCode);
      };
      const tries = Array.from({ length: 30 }, (_, nth) => nth);
      if (isAtOnce) await Promise.all(tries.map(send));
      else for (const nth of tries) await send(nth);
      expect(statuses.filter(status => status === 404)).toHaveLength(20);
      expect(statuses.filter(status => status === 429)).toHaveLength(10);
      const refused = await site.visitor({ address }).get(`/join/${poll.code}`);
      expect(refused.statusCode).toBe(429);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect(visibleText(refused.body)).toContain('Too many requests');
      expect((await site.visitor({ address: '203.0.113.3' }).get(`/join/${poll.code}`)).statusCode).toBe(302);
    }
  });

  it('that is right counts against no network, so a whole hall may join', async () => {
    const address = '203.0.113.4';
    for (let nth = 0; nth < 60; nth += 1)
      expect((await site.visitor({ address }).get(`/join/${poll.code}`)).statusCode).toBe(302);
  });
});
