import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawJoinCode, ownerShow } from '../../src/show/join-codes.ts';
import { createShow, createShowId } from '../../src/show/shows.ts';
import { heldClock } from '../support/held-clock.ts';
import { attribute, createdId, fieldValue, solveTask, type Visitor, visibleText } from './visitor.ts';
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

  it('has the focus on its page, and a wrong one leaves it to the error', async () => {
    const visitor = site.visitor();
    expect((await visitor.get('/join')).body).toContain(' autofocus');
    expect((await visitor.get(`/join/${wrong(0)}`)).body).not.toContain(' autofocus');
    expect((await visitor.get('/')).body).not.toContain(' autofocus');
  });

  it('leads to the page of the audience of its show', async () => {
    const { engine } = site.services;
    const id = createShowId();
    const joinCode = await drawJoinCode(engine, ownerShow('friday-night', id));
    await createShow(engine, { name: 'friday-night', id, title: '', joinCode }, 'f'.repeat(64));
    expect((await site.visitor().get(`/join/${joinCode}`)).headers.location).toBe('/show/friday-night');
  });

  it('stands in large figures on the manage page until the close, and on the share page of its show', async () => {
    const visitor = site.visitor();
    const once = fieldValue((await visitor.get('/new')).body, 'once')!;
    const form = { once, title: 'Lunch?', answer: ['Soup', 'Salad'], mip: '0', join_code: '1' };
    const id = createdId(await visitor.post('/new', form));
    const code = (await site.services.engine.polls.find(id))!.poll.joinCode!;
    const large = (code: string) => `/join ${code.slice(0, 3)} ${code.slice(3)}`;
    const page = (await visitor.get(`/${id}/manage`)).body;
    expect(visibleText(page)).toContain(large(code));
    expect(page).toContain(`/join/${code}"`);
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

  const typeWrong = (address: string, tries: number, isAtOnce = false) => {
    const send = async (nth: number) =>
      (await site.visitor({ address }).get(`/join/${wrong(nth)}`)).statusCode;
    const nths = Array.from({ length: tries }, (_, nth) => nth);
    if (isAtOnce) return Promise.all(nths.map(send));
    return nths.reduce<Promise<number[]>>(
      async (statuses, nth) => [...(await statuses), await send(nth)],
      Promise.resolve([]),
    );
  };

  /**
   * Joins as the page does: by its form if the server asks for the check.
   *
   * @returns the last reply, and how many checks it took
   */
  async function join(visitor: Visitor, code: string) {
    const reply = await visitor.get(`/join/${code}`);
    const task = attribute(reply.body, 'data-challenge');
    if (!task) return { reply, checks: 0 };
    return { reply: await visitor.post('/join', { code, proof: await solveTask(task) }), checks: 1 };
  }

  it.each([
    ['one by one', '203.0.113.1', false],
    ['all at once', '203.0.113.2', true],
  ])(
    'that is wrong is answered 20 times a minute for one network, then after a check only: %s',
    async (_, address, isAtOnce) => {
      const statuses = await typeWrong(address, 30, isAtOnce);
      expect(statuses.filter(status => status === 404)).toHaveLength(20);
      expect(statuses.filter(status => status === 200)).toHaveLength(10);
      for (const code of [poll.code, wrong(40)]) {
        const page = await site.visitor({ address }).get(`/join/${code}`);
        expect([page.statusCode, page.headers.location]).toEqual([200, undefined]);
        expect(visibleText(page.body)).toContain('about two seconds and needs JavaScript');
      }
      expect((await join(site.visitor({ address: '203.0.113.3' }), poll.code)).checks).toBe(0);
    },
  );

  it('that is right leads 20 of 20 visitors to the poll, whose network has sent 25 wrong ones, with one check each', async () => {
    const address = '203.0.113.5';
    await typeWrong(address, 25);
    for (let nth = 0; nth < 20; nth += 1) {
      const { reply, checks } = await join(site.visitor({ address }), poll.code);
      expect([reply.headers.location, checks]).toEqual([`/${poll.id}`, 1]);
    }
  });

  it('may be tried five times with one check, also from another tab and after a reply was lost', async () => {
    const address = '203.0.113.6';
    await typeWrong(address, 25);
    const visitor = site.visitor({ address });
    const page = await visitor.get(`/join/${wrong(1)}`);
    const proof = await solveTask(attribute(page.body, 'data-challenge')!);
    const send = async (code: string) => (await visitor.post('/join', { code, proof })).statusCode;
    expect([await send(wrong(1)), await send(wrong(1))]).toEqual([404, 404]);
    const typed = async (code: string) => (await visitor.get(`/join?code=${code}`)).statusCode;
    expect([await typed(wrong(2)), await typed(wrong(3)), await typed(poll.code)]).toEqual([404, 404, 302]);
    expect([await typed(poll.code), await send(poll.code)]).toEqual([200, 400]);
    expect((await join(visitor, poll.code)).reply.headers.location).toBe(`/${poll.id}`);
  });

  it('takes the check of the visitor that solved it only', async () => {
    const address = '203.0.113.7';
    await typeWrong(address, 25);
    const page = await site.visitor({ address }).get(`/join/${poll.code}`);
    const proof = await solveTask(attribute(page.body, 'data-challenge')!);
    const stranger = site.visitor({ address });
    expect((await stranger.post('/join', { code: poll.code, proof })).statusCode).toBe(400);
    await stranger.get('/join/1');
    expect((await stranger.post('/join', { code: poll.code, proof })).statusCode).toBe(400);
    expect((await stranger.post('/join', { code: poll.code })).statusCode).toBe(400);
    expect((await stranger.get(`/join/${poll.code}`)).headers.location).toBeUndefined();
  });

  it('that is right counts against no network, so a whole hall may join', async () => {
    const address = '203.0.113.4';
    for (let nth = 0; nth < 60; nth += 1)
      expect((await site.visitor({ address }).get(`/join/${poll.code}`)).statusCode).toBe(302);
  });
});
