import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashKey } from '../../src/poll/poll-key.ts';
import { heldClock } from '../support/held-clock.ts';
import { createdId, type Fields, fieldValue, type Visitor, visibleText } from './visitor.ts';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite();
});
afterAll(() => site.close());

async function create(visitor: Visitor, fields: Fields) {
  const once = fieldValue((await visitor.get('/new')).body, 'once')!;
  return visitor.post('/new', { once, ...fields });
}

const LUNCH = { title: 'Lunch?', answer: ['Soup', 'Salad', '', '  '], mip: '0' };
const BALLOT = { voter: 'voter', address: 'address', ballotId: 'ballot' };
const firstAnswer = async (id: string) => (await site.engine.polls.find(id))!.poll.answers[0]!.id;

const LINK = /value="http:\/\/vote\.test\/\w{12}\/manage#key=(admin_[\w-]{43})"/;

describe('creating a poll', () => {
  it('needs a title and two answers, and leads to its manage page, without a key in the address', async () => {
    const visitor = site.visitor();
    const reply = await create(visitor, LUNCH);
    expect(reply.statusCode).toBe(303);
    const id = createdId(reply);
    const reading = (await site.engine.polls.find(id))!;
    expect(reading.poll.title).toBe('Lunch?');
    expect(reading.poll.answers.map(answer => answer.text)).toEqual(['Soup', 'Salad']);
    expect(reading.results).toMatchObject({ status: 'open', resultsVisibility: 'always', deadlineMs: null });
    const { body, headers } = await visitor.get(`/${id}/manage`);
    expect(visibleText(body)).toContain('Your poll is ready');
    expect(visibleText(body)).toContain('This device remembers this poll.');
    const page = visibleText(body.replace(/ value="([^"]*)"/g, '>$1<'));
    expect(page).toContain(`http://vote.test/${id}`);
    const viewKey = new RegExp(`http://relay\\.test/overlay/${id}#key=(view_[\\w-]{43})`).exec(page)![1]!;
    expect(hashKey(LINK.exec(body)![1]!)).toBe(reading.keys.adminKeyHash);
    expect(hashKey(viewKey)).toBe(reading.keys.viewKeyHash);
    expect(page).toContain(
      `<script src="http://relay.test/widget.js" async></script> <poll-results poll="${id}"></poll-results>`,
    );
    expect(body).toContain('<svg xmlns="http://www.w3.org/2000/svg"');
    expect(headers['cache-control']).toBe('private, no-store');
    expect(visibleText((await site.visitor().get(`/${id}`)).body)).not.toContain('admin_');
  });

  it('lasts 30 days on its device, and its cookie reveals no key', async () => {
    let nowMs = Date.now();
    const slow = await startVotingSite({ engine: site.engine, clock: () => nowMs });
    const visitor = slow.visitor();
    const reply = await create(visitor, LUNCH);
    expect(reply.cookies).toContainEqual(
      expect.objectContaining({ name: 'tallycast-manage', maxAge: 30 * 86_400, httpOnly: true }),
    );
    nowMs += 30 * 86_400_000 - 1;
    const link = LINK.exec((await visitor.get(`/${createdId(reply)}/manage`)).body)![1]!;
    expect(Buffer.from(visitor.cookie('manage')!, 'base64url').toString('latin1')).not.toContain('admin_');
    expect(visitor.cookie('manage')).not.toContain(link.slice('admin_'.length));
    nowMs += 1;
    expect((await visitor.get(`/${createdId(reply)}/manage`)).body).not.toContain('admin_x');
    expect((await visitor.get(`/${createdId(reply)}/manage`)).body).not.toMatch(LINK);
    await slow.close();
  });

  it('leaves nothing on a computer that shall not remember, and then says to keep the link', async () => {
    const visitor = site.visitor();
    const reply = await create(visitor, { ...LUNCH, forget: '1' });
    // Without an age, the browser drops the cookie when it is closed.
    const cookie = reply.cookies.find(({ name }) => name === 'tallycast-manage')!;
    expect([cookie.maxAge, cookie.expires]).toEqual([undefined, undefined]);
    const { body } = await visitor.get(`/${createdId(reply)}/manage`);
    expect(visibleText(body)).toContain('This device doesn’t remember this poll. Keep the manage link');
    expect(body).toMatch(/<details class="fold" open><summary>Manage link/);
    expect(body).toMatch(LINK);
  });

  it('is forgotten on request: the session ends, and the page shows the link once more', async () => {
    const visitor = site.visitor();
    const id = createdId(await create(visitor, LUNCH));
    const forgotten = await visitor.post(`/${id}/manage/forget`, {});
    expect(forgotten.body).toMatch(LINK);
    expect(visibleText(forgotten.body)).toContain(
      'Keep the manage link: you can’t manage the poll without it.',
    );
    expect(visibleText((await visitor.get(`/${id}/manage`)).body)).toContain('Admin key');
    expect((await visitor.post(`/${id}/manage/close`, {})).statusCode).toBe(403);
    expect((await visitor.post(`/${id}/manage/forget`, {})).headers.location).toBe(`/${id}/manage`);
    await visitor.post(`/${id}/manage/key`, { key: LINK.exec(forgotten.body)![1]! });
    expect((await visitor.get(`/${id}/manage`)).body).toMatch(LINK);
  });

  it('creates nothing for a browser that blocks cookies, whose manage page could not open', async () => {
    const visitor = site.visitor();
    const once = fieldValue((await visitor.get('/new')).body, 'once')!;
    visitor.cookies.clear();
    const reply = await visitor.post('/new', { once, ...LUNCH });
    expect(reply.statusCode).toBe(400);
    expect(visibleText(reply.body)).toContain('Your browser blocks cookies for this site.');
    expect(fieldValue(reply.body, 'title')).toBe('Lunch?');
  });

  it('accepts every setting of a poll', async () => {
    const reply = await create(site.visitor(), {
      ...LUNCH,
      description: 'One\r\ntwo',
      image: 'https://pictures.example/soup.jpg',
      deadline: '2099-07-01T20:30',
      offset: '120',
      results_visibility: 'after_deadline',
      min_choices: '1',
      max_choices: '2',
      answer_order: 'random',
      ...Object.fromEntries(
        ['priv', 'co', 'ma', 'mip', 'enter_name', 'only_reg', 'vpn'].map(name => [name, '1']),
      ),
    });
    const { poll, results } = (await site.engine.polls.find(createdId(reply)))!;
    expect(poll).toMatchObject({
      description: 'One\ntwo',
      image: 'https://pictures.example/soup.jpg',
      minChoices: 1,
      maxChoices: 2,
      answerOrder: 'random',
      settings: {
        isPrivate: true,
        allowComments: true,
        allowMultiple: true,
        sharedAddress: true,
        requireName: true,
        requireSignIn: true,
        allowVpn: true,
        hasImage: true,
      },
    });
    expect(results.resultsVisibility).toBe('after_deadline');
    expect(new Date(results.deadlineMs!).toISOString()).toBe('2099-07-01T18:30:00.000Z');
  });

  it.each([
    [{ min_choices: '1' }, 'Limits need multiple answers.'],
    [{ ma: '1', max_choices: '3' }, 'Use whole numbers'],
    [{ ma: '1', max_choices: 'two' }, 'Use whole numbers'],
    [{ ma: '1', min_choices: '2', max_choices: '1' }, 'Use whole numbers'],
  ])('says what is wrong with %j, and keeps it', async (fields, words) => {
    const { statusCode, body } = await create(site.visitor(), { ...LUNCH, ...fields });
    expect(statusCode).toBe(400);
    expect(visibleText(body)).toContain(words);
    for (const [name, value] of Object.entries(fields))
      expect(body).toMatch(new RegExp(`name="${name}"[^>]* value="${value}"`));
  });

  it('offers unlisted polls first, and sign-in only where it is set up', async () => {
    const { body } = await site.visitor().get('/new');
    expect(body).toMatch(/name="priv" value="1" checked/);
    expect(body).not.toContain('name="only_reg"');
    const { body: kept } = await create(site.visitor(), { ...LUNCH, title: '', only_reg: '1' });
    expect(kept).toContain('Sign-in isn’t set up');
  });

  it.each([
    ['1', true],
    ['0', false],
  ])('with same room %s, a poll has a join code: %s', async (mip, hasCode) => {
    const reply = await create(site.visitor(), { ...LUNCH, mip });
    const { poll } = (await site.engine.polls.find(createdId(reply)))!;
    expect([poll.settings.hasJoinCode, poll.joinCode !== undefined]).toEqual([hasCode, hasCode]);
  });

  it('creates one poll from one form, however often it is sent', async () => {
    const visitor = site.visitor();
    const once = fieldValue((await visitor.get('/new')).body, 'once')!;
    const replies = await Promise.all([1, 2, 3].map(() => visitor.post('/new', { once, ...LUNCH })));
    const again = await visitor.post('/new', { once, ...LUNCH });
    expect(new Set([...replies, again].map(createdId)).size).toBe(1);
    const edited = await visitor.post('/new', { once, ...LUNCH, title: 'Dinner?' });
    expect(createdId(edited)).not.toBe(createdId(again));
  });

  it('keeps the session of a new admin key when the form comes again', async () => {
    const visitor = site.visitor();
    const once = fieldValue((await visitor.get('/new')).body, 'once')!;
    const id = createdId(await visitor.post('/new', { once, ...LUNCH }));
    const { body } = await visitor.get(`/${id}/manage`);
    const token = /manage\/admin-key"><input type="hidden" name="once" value="([^"]+)"/.exec(body)![1]!;
    await visitor.post(`/${id}/manage/admin-key`, { once: token });
    const renewed = LINK.exec((await visitor.get(`/${id}/manage`)).body)![1];
    expect(renewed).not.toBe(LINK.exec(body)![1]);
    expect(createdId(await visitor.post('/new', { once, ...LUNCH }))).toBe(id);
    expect(LINK.exec((await visitor.get(`/${id}/manage`)).body)![1]).toBe(renewed);
  });

  it('is limited by the bytes that one address stores in a day', async () => {
    const small = await startVotingSite({
      engine: site.engine,
      clock: heldClock(),
      createBytesPerDay: 7_000,
    });
    const visitor = small.visitor();
    expect((await create(visitor, LUNCH)).statusCode).toBe(303);
    const refused = await create(visitor, { ...LUNCH, description: 'x'.repeat(5_000) });
    expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    await small.close();
  });

  it('shows when a poll without votes will be deleted', async () => {
    const brief = await startVotingSite({ engine: site.engine, emptyPollDays: 30, emptyShowDays: 30 });
    const visitor = brief.visitor();
    const deadline = '2099-07-01T20:30';
    for (const [fields, day] of [
      [LUNCH, new Date(Date.now() + 30 * 86_400_000)],
      [{ ...LUNCH, deadline }, new Date('2099-07-31')],
    ] as const) {
      const id = createdId(await create(visitor, fields));
      const words = `If there are no votes, this poll will be deleted on ${day.toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' })}`;
      expect(visibleText((await visitor.get(`/${id}/manage`)).body)).toContain(words);
      await brief.engine.polls.cast({ ...BALLOT, pollId: id, answers: [await firstAnswer(id)] });
      expect(visibleText((await visitor.get(`/${id}/manage`)).body)).not.toContain('If there are no votes');
    }
    expect(visibleText((await visitor.get('/desk')).body)).toContain('deleted 30 days after its last change');
    expect(visibleText((await site.visitor().get('/desk')).body)).not.toContain('after its last change');
    await brief.close();
  });

  it('from an expired or forged form creates nothing and keeps the input', async () => {
    const reply = await create(site.visitor(), { ...LUNCH, once: 'made-up' });
    expect(reply.statusCode).toBe(400);
    expect(visibleText(reply.body)).toContain('The poll hasn’t been created yet');
    expect(fieldValue(reply.body, 'title')).toBe('Lunch?');
  });

  it.each<[string, Fields, string]>([
    ['no title', { title: ' ', answer: ['a', 'b'] }, 'Fill this in'],
    ['no answer about the room', { title: 'x', answer: ['a', 'b'] }, 'Choose one'],
    ['one answer', { title: 'x', answer: ['a', ' \u2800'] }, 'Add at least two answers.'],
    ['a long title', { ...LUNCH, title: 'x'.repeat(301) }, '300 characters'],
    ['a pile of marks', { ...LUNCH, title: `x${'\u0315'.repeat(5)}` }, 'at most four accents or marks'],
    ['a control character', { ...LUNCH, title: 'x\u0000' }, 'Remove characters that can’t be displayed'],
    ['101 answers', { title: 'x', answer: Array.from({ length: 101 }, (_, at) => `${at}`) }, '100 answers'],
    ['two equal answers', { title: 'x', answer: ['a', 'a '] }, 'is the same as answer 1'],
    ['a past deadline', { ...LUNCH, deadline: '2001-01-01T10:00' }, 'Choose a time in the future.'],
    ['an invalid deadline', { ...LUNCH, deadline: 'soon' }, 'Choose a date and a time.'],
    [
      'an invalid time zone',
      { ...LUNCH, deadline: '2099-01-01T10:00', offset: '9999' },
      'Choose a date and a time.',
    ],
    ['a picture over http', { ...LUNCH, image: 'http://x.example/y' }, 'starting with https://'],
    [
      'results after a missing deadline',
      { ...LUNCH, results_visibility: 'after_deadline' },
      'Set a time when voting ends',
    ],
    ['an unknown visibility', { ...LUNCH, results_visibility: 'sometimes' }, 'Set a time when voting ends'],
  ])('with %s says what to do and keeps the input', async (_, fields, words) => {
    const before = (await site.engine.polls.listPublic(100)).length;
    const reply = await create(site.visitor(), { description: 'kept', ma: '1', ...fields });
    expect(reply.statusCode).toBe(400);
    expect(visibleText(reply.body)).toContain(words);
    expect(reply.body).toContain('>kept</textarea>');
    expect(reply.body).toMatch(/name="ma" value="1" checked/);
    expect((await site.engine.polls.listPublic(100)).length).toBe(before);
  });

  it('has a button for each answer to whether people vote in the same room', async () => {
    const { body } = await site.visitor().get('/new');
    expect(body.match(/<button type="submit" name="mip" value="[01]">/g)).toHaveLength(2);
  });

  it('fills in a template without scripts, and keeps the rest of the form', async () => {
    const answersIn = (body: string) =>
      [...body.matchAll(/name="answer" value="([^"]*)"/g)].map(([, answer]) => answer);
    const visitor = site.visitor();
    expect(answersIn((await visitor.get('/new?template=yes-no')).body)).toEqual(['Yes', 'No']);
    expect(answersIn((await visitor.get('/new?template=one-to-five&lang=ar')).body)).toHaveLength(5);
    expect(answersIn((await site.visitor().get('/new?template=constructor')).body)).toEqual(['', '']);
    const { statusCode, body } = await site.visitor().post('/new', { ...LUNCH, ma: '1', template: 'agree' });
    expect([statusCode, fieldValue(body, 'title')]).toEqual([200, 'Lunch?']);
    expect(answersIn(body)).toEqual([
      'Strongly agree',
      'Agree',
      'Neither agree nor disagree',
      'Disagree',
      'Strongly disagree',
    ]);
    expect(body).toMatch(/name="ma" value="1" checked/);
  });

  it('adds a row without scripts', async () => {
    const reply = await site.visitor().post('/new', { ...LUNCH, more: '1' });
    expect(reply.statusCode).toBe(200);
    expect(reply.body.match(/name="answer"/g)).toHaveLength(3);
    expect(fieldValue(reply.body, 'title')).toBe('Lunch?');
  });

  it('asks for an operator key if the settings require one', async () => {
    const closed = await startVotingSite({
      engine: site.engine,
      createRequiresKey: true,
      operatorKeys: ['the key of the operator'],
    });
    for (const key of ['', 'a wrong key']) {
      const reply = await create(closed.visitor(), { ...LUNCH, key });
      expect(reply.statusCode).toBe(403);
      expect(visibleText(reply.body)).toContain('operator key');
      expect(reply.body).not.toContain('a wrong key');
    }
    expect((await create(closed.visitor(), { ...LUNCH, key: 'the key of the operator' })).statusCode).toBe(
      303,
    );
    await closed.close();
  });

  it('is limited by address', async () => {
    const limited = await startVotingSite({
      engine: site.engine,
      clock: heldClock(),
      rateLimits: { creates: 1 },
    });
    const visitor = limited.visitor();
    expect((await create(visitor, LUNCH)).statusCode).toBe(303);
    expect((await create(visitor, LUNCH)).statusCode).toBe(429);
    await limited.close();
  });
});
