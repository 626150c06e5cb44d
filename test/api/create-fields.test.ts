import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { effectiveFlags } from '../../src/poll/poll.ts';
import { ask, expectError, GOOD_POLL, issuesOf, post } from '../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

const FUTURE = '2999-12-31T23:59:59.999Z';
const PAST = '2020-01-01T00:00:00.000Z';
const LONGEST_IMAGE = `https://example.com/${'x'.repeat(2_048 - 20)}`;
const numbered = (count: number, text = '') => Array.from({ length: count }, (_, index) => `${index}${text}`);

describe('the fields of a new poll', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay({ lacksSignIn: false });
  });
  afterAll(() => relay.close());

  const create = (fields: object) => post(relay.url, { poll: { ...GOOD_POLL, ...fields } });
  const stored = async (fields: object) => (await relay.engine.polls.find((await create(fields)).json.id))!;
  /** @param path of the only fault, below `poll` */
  const expectRejected = async (fields: object, path: string) => {
    const reply = await create(fields);
    expect([fields, reply.status, Object.keys(issuesOf(reply))]).toEqual([fields, 400, [`poll.${path}`]]);
    // Messages of the library begin with a capital, such as "Too big".
    expect(Object.values(issuesOf(reply))[0]).toMatch(/^[a-z]/);
  };

  it.each<[string, object[]]>([
    ['title', [{ title: 'x' }, { title: `  ${'😀'.repeat(300)}  ` }, { title: 'مرحبا, שלום' }]],
    [
      'description',
      ['', 'x'.repeat(5_000), null, 'one\n\ttwo', 'x\u202ex'].map(description => ({ description })),
    ],
    ['answers', [{ answers: numbered(100, 'x'.repeat(197)) }, { answers: ['Ja', 'ja'] }]],
    ['image', [null, 'https://example.com/a.png?b=c#d', LONGEST_IMAGE].map(image => ({ image }))],
    ['closes_in', [5, 7.5, 31_536_000].map(closes_in => ({ closes_in }))],
    ['results_visibility', ['always', 'hidden'].map(results_visibility => ({ results_visibility }))],
    ['results_visibility', [{ results_visibility: 'after_deadline', has_deadline: true, deadline: FUTURE }]],
    [
      'min_choices and max_choices',
      [
        { ma: true, min_choices: 1 },
        { ma: true, min_choices: 2, max_choices: 2 },
        { ma: false, min_choices: null, max_choices: null },
      ],
    ],
    ['answer_order', ['given', 'random'].map(answer_order => ({ answer_order }))],
    [
      'closes_in of an upcoming poll',
      [
        { status: 'upcoming', closes_in: 30, results_visibility: 'after_deadline' },
        { status: 'upcoming', closes_in: 30, has_deadline: true },
      ],
    ],
  ])('accepts a valid %s', async (_, valid) => {
    for (const fields of valid) expect([fields, (await create(fields)).status]).toEqual([fields, 201]);
  });

  it.each<[string, unknown[], string?]>([
    ['title', ['', '   ', '\u200b\u200d', 'x'.repeat(301), '😀'.repeat(301), 7, null, ['x']]],
    [
      'title',
      ['\u0000', '\u0007', '\u001b', '\u007f', '\u0085', 'a\nb', 'a\tb', '\u202e'].map(c => `x${c}x`),
    ],
    [
      'description',
      ['x'.repeat(5_001), 7, ['x'], ...['\u0000', '\f', '\u001b', '\u009f'].map(c => `x${c}x`)],
    ],
    ['answers', [[], ['one'], numbered(101), 'one,two', { 0: 'one', 1: 'two' }]],
    [
      'answers',
      ['', ' ', 'x'.repeat(201), 7, null, 'x\u0007x', 'x\u202ex'].map(answer => ['one', answer]),
      'answers.1',
    ],
    ['answers', [['New  York', 'New York']], 'answers.1'],
    [
      'answers',
      ['Café', 'Cafe\u0301', '  Café ', 'Ca\u200bfé'].map(twin => ['Café', 'Tee', twin]),
      'answers.2',
    ],
    [
      'image',
      [
        'http://example.com/a.png',
        '/a.png',
        'https://',
        'data:image/png;base64,AA',
        7,
        '',
        `${LONGEST_IMAGE}x`,
      ],
    ],
    ['closes_in', [4.999, 0, -60, 31_536_001, '60', true, [60]]],
    ['results_visibility', ['never', true, null, 'after_deadline']],
    ['status', ['closed', 'Upcoming', true, null]],
    ['deadline', [PAST]],
  ])('rejects an invalid %s', async (name, invalid, path = name) => {
    for (const value of invalid) await expectRejected({ [name]: value }, path);
  });

  it.each([
    [{ ma: true, min_choices: 0 }, 'min_choices'],
    [{ ma: true, max_choices: 1.5 }, 'max_choices'],
    [{ ma: true, max_choices: '2' }, 'max_choices'],
    [{ ma: true, max_choices: 101 }, 'max_choices'],
    [{ ma: true, max_choices: 3 }, 'max_choices'],
    [{ ma: true, min_choices: 2, max_choices: 1 }, 'min_choices'],
    [{ min_choices: 1 }, 'min_choices'],
    [{ ma: false, max_choices: 1 }, 'max_choices'],
    [{ answer_order: 'shuffled' }, 'answer_order'],
  ])('rejects %j of a poll with two answers', (fields, path) => expectRejected(fields, path));

  it('tells every reader how many answers a ballot has, and their order', async () => {
    const readNew = async (fields: object) =>
      (await ask(`${relay.url}/api/poll/${(await create(fields)).json.id}`)).json;
    expect(await readNew({})).toMatchObject({ min_choices: 1, max_choices: 1, answer_order: 'given' });
    expect(await readNew({ ma: true })).toMatchObject({ min_choices: 1, max_choices: 2 });
    const limited = { ma: true, min_choices: 2, max_choices: 2, answer_order: 'random' };
    expect(await readNew(limited)).toMatchObject(limited);
  });

  it('requires title and answers', async () => {
    const reply = await post(relay.url, { poll: {} });
    expect(issuesOf(reply)).toEqual({ 'poll.title': 'is required', 'poll.answers': 'is required' });
    for (const body of [{}, [], null, 'poll', 3, { poll: null }, { poll: [] }])
      expectError(await post(relay.url, JSON.stringify(body)), 400, 'invalid_request');
    expect(issuesOf(await post(relay.url, GOOD_POLL))).toEqual({
      poll: 'is missing: wrap it, as in {"poll": {...}}',
    });
  });

  it('stores text trimmed, in NFC and with LF', async () => {
    const { poll } = await stored({
      title: '  Cafe\u0301? ',
      answers: [' a\u0308 ', 'b'],
      description: 'one\r\ntwo\rthree',
    });
    expect([poll.title, poll.description]).toEqual(['Café?', 'one\ntwo\nthree']);
    expect(poll.answers.map(({ text }) => text)).toEqual(['ä', 'b']);
    expect((await stored({ description: null })).poll.description).toBe('');
  });

  it('rejects half a surrogate pair', async () => {
    const reply = await post(relay.url, `{"poll":{"title":"x\\ud800","answers":["a","b"]}}`);
    expect(Object.keys(issuesOf(reply))).toEqual(['poll.title']);
  });

  it.each([...effectiveFlags(), 'has_image', 'has_deadline'])('%s is true, false, 1 or 0', async flag => {
    const deadline = FUTURE;
    const needed = flag === 'show_log_size' && { verifiable: true };
    for (const value of [true, false, 1, 0])
      expect((await create({ deadline, ...needed, [flag]: value })).status).toBe(201);
    for (const value of ['true', '1', 2, -1, null, [], {}])
      await expectRejected({ deadline, [flag]: value }, flag);
  });

  it('needs a log to show its size', async () => {
    await expectRejected({ show_log_size: true }, 'show_log_size');
    await expectRejected({ show_log_size: 1, verifiable: 0 }, 'show_log_size');
    expect((await create({ show_log_size: 0 })).status).toBe(201);
  });

  it.each([
    ['2999-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z'],
    ['2992-02-29T23:59:59Z', '2992-02-29T23:59:59.000Z'],
    ['2999-01-01t00:00:00z', '2999-01-01T00:00:00.000Z'],
    ['2999-01-01T00:00:00.5Z', '2999-01-01T00:00:00.500Z'],
    ['2999-01-01T00:00:00.123456789+00:00', '2999-01-01T00:00:00.123Z'],
    ['2999-01-01T01:30:00+02:00', '2998-12-31T23:30:00.000Z'],
    ['2998-12-31T18:15:00.25-05:45', '2999-01-01T00:00:00.250Z'],
    ['2999-01-01T00:00:00-00:00', '2999-01-01T00:00:00.000Z'],
    ['2999-01-01 00:00:00Z', '2999-01-01T00:00:00.000Z'],
    ['2998-12-31T23:59:60Z', '2999-01-01T00:00:00.000Z'],
    ['2999-01-01 01:59:60.25+02:00', '2999-01-01T00:00:00.250Z'],
  ])('accepts the deadline %s and returns it as %s', async (deadline, shown) => {
    const { status, json } = await create({ has_deadline: true, deadline });
    expect([status, json.deadline]).toEqual([201, shown]);
    expect(await relay.read(json.id)).toMatchObject({ deadline: shown, status: 'open' });
  });

  it.each([
    '2999-02-29T00:00:00.000Z',
    '2999-13-01T00:00:00.000Z',
    '2999-01-01T24:00:00.000Z',
    '2999-12-31T23:59:61Z',
    '2999-12-31_23:59:59Z',
    '2999-01-01T00:00:00+24:00',
    '2999-01-01T00:00:00+02:60',
    '9999-12-31T23:00:00-02:00',
    '2999-01-01T00:00:00',
    '2999-01-01T00:00Z',
    '2999-01-01T00:00:00.Z',
    '2999-01-01T00:00:00+0200',
    '2999-01-01',
    '+002999-01-01T00:00:00Z',
    32_472_144_000_000,
    'soon',
    '',
  ])('rejects the invalid time %s as a deadline, active or not', async deadline => {
    for (const has_deadline of [true, false]) await expectRejected({ has_deadline, deadline }, 'deadline');
  });

  it('a deadline or closes_in is active by default', async () => {
    for (const end of [{ deadline: FUTURE }, { closes_in: 60 }, { deadline: FUTURE, closes_in: null }])
      expect(
        (await stored({ ...end, results_visibility: 'after_deadline' })).results.deadlineMs,
      ).not.toBeNull();
    for (const none of [{}, { deadline: null }, { has_deadline: false, deadline: null }])
      expect((await create(none)).json).toMatchObject({ deadline: null });
    for (const deadline of [undefined, null, PAST])
      await expectRejected({ has_deadline: true, deadline }, 'deadline');
    await expectRejected({ closes_in: 60, deadline: FUTURE }, 'closes_in');
  });

  it('stores an inactive deadline, also a past one', async () => {
    const { poll, results } = await stored({ has_deadline: false, deadline: PAST });
    expect(results).toMatchObject({ deadlineMs: null, status: 'open' });
    expect(poll.inactiveDeadlineMs).toBe(Date.parse(PAST));
  });

  it('closes_in counts from the clock of the engine', async () => {
    const { polls } = relay.services.engine;
    const realNow = polls.now;
    polls.now = async () => Date.parse('2990-01-01T00:00:00.000Z');
    const { json } = await create({ has_deadline: true, closes_in: 31_536_000 });
    polls.now = realNow;
    expect(json.deadline).toBe('2991-01-01T00:00:00.000Z');
  });

  it('status is open or upcoming, and an upcoming poll keeps closes_in', async () => {
    for (const status of ['open', 'upcoming']) {
      const { json } = await create({ status });
      expect([json.status, (await relay.read(json.id)).status]).toEqual([status, status]);
    }
    const { json } = await create({ status: 'upcoming', closes_in: 30 });
    for (const reply of [json, await relay.read(json.id)])
      expect(reply).toMatchObject({ status: 'upcoming', deadline: null, closes_in: 30 });
    const inactive = await create({ status: 'upcoming', closes_in: 30, has_deadline: false });
    expect(inactive.json).not.toHaveProperty('closes_in');
  });
});
