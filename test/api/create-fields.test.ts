import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GOOD_POLL, post } from '../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

const FLAGS = ['priv', 'co', 'ma', 'mip', 'enter_name', 'has_deadline', 'only_reg', 'vpn', 'has_image'];
const FUTURE = '2999-12-31T23:59:59.999Z';
const RLO = '\u202e';

/** The table of fields of contract section 2: what each takes, and what it refuses. */
describe('the fields of a new poll', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay();
  });
  afterAll(() => relay.close());

  const create = (fields: object) => post(relay.url, { poll: { ...GOOD_POLL, ...fields } });
  const expectTaken = async (fields: object) => expect(await create(fields)).toMatchObject({ status: 201 });
  /** @param path of the one fault that is expected, below `poll` */
  const expectRefused = async (fields: object, path: string) => {
    const { status, json } = await create(fields);
    expect({ status, paths: json.error.issues?.map((issue: { path: string }) => issue.path) }).toEqual({
      status: 400,
      paths: [`poll.${path}`],
    });
  };

  it('title and answers are required', async () => {
    const { json } = await post(relay.url, { poll: {} });
    expect(json.error.issues.map((issue: { path: string }) => issue.path)).toEqual([
      'poll.title',
      'poll.answers',
    ]);
    expect(json.error.issues.map((issue: { message: string }) => issue.message)).toEqual([
      'is required',
      'is required',
    ]);
    for (const body of [{}, [], null, 'poll', 3, { poll: null }, { poll: [] }])
      expect((await post(relay.url, JSON.stringify(body))).json.error.code).toBe('invalid_request');
  });

  it('says how to wrap a poll that comes without its wrapper', async () => {
    const { status, json } = await post(relay.url, GOOD_POLL);
    expect(status).toBe(400);
    expect(json.error.issues).toEqual([
      { path: 'poll', message: 'is missing: wrap it, as in {"poll": {...}}' },
    ]);
  });

  it('title is 1 to 300 characters long after trimming, however many bytes they take', async () => {
    await expectTaken({ title: 'x' });
    await expectTaken({ title: `  ${'😀'.repeat(300)}  ` });
    for (const title of ['', '   ', '\u200b\u200d', 'x'.repeat(301), '😀'.repeat(301), 7, null, ['x']])
      await expectRefused({ title }, 'title');
  });

  it('description is up to 5,000 characters long, and empty where there is none', async () => {
    await expectTaken({ description: '' });
    await expectTaken({ description: 'x'.repeat(5_000) });
    const { json } = await create({ description: null });
    expect((await relay.engine.polls.find(json.id))?.poll.description).toBe('');
    for (const description of ['x'.repeat(5_001), 7, ['x']])
      await expectRefused({ description }, 'description');
  });

  it('answers are 2 to 100 strings of 1 to 200 characters', async () => {
    await expectTaken({ answers: Array.from({ length: 100 }, (_, index) => `${index}${'x'.repeat(197)}`) });
    for (const answers of [
      [],
      ['one'],
      Array.from({ length: 101 }, String),
      'one,two',
      { 0: 'one', 1: 'two' },
    ])
      await expectRefused({ answers }, 'answers');
    for (const answer of ['', ' ', 'x'.repeat(201), 7, null])
      await expectRefused({ answers: ['one', answer] }, 'answers.1');
  });

  it('no two answers are alike, in spelling, spacing or invisible characters', async () => {
    await expectTaken({ answers: ['Ja', 'ja'] });
    for (const twin of ['Café', 'Cafe\u0301', '  Café ', 'Ca\u200bfé'])
      await expectRefused({ answers: ['Café', 'Tee', twin] }, 'answers.2');
    await expectRefused({ answers: ['New  York', 'New York'] }, 'answers.1');
  });

  it('text comes back trimmed and in NFC', async () => {
    const { json } = await create({ title: '  Cafe\u0301? ', answers: [' a\u0308 ', 'b'] });
    const results = await relay.read(json.id);
    expect(results.title).toBe('Café?');
    expect(results.poll_answers.map(({ answer }) => answer)).toEqual(['ä', 'b']);
  });

  it('control characters are refused, but for tabs and line ends in the description', async () => {
    for (const control of ['\u0000', '\u0007', '\u001b', '\u007f', '\u0085', 'a\nb', 'a\tb']) {
      await expectRefused({ title: `x${control}x` }, 'title');
      await expectRefused({ answers: ['one', `x${control}x`] }, 'answers.1');
    }
    await expectTaken({ description: 'one\n\ttwo' });
    const { json } = await create({ description: 'one\r\ntwo\rthree' });
    const reading = await relay.engine.polls.find(json.id);
    expect(reading?.poll.description).toBe('one\ntwo\nthree');
    for (const control of ['\u0000', '\f', '\u001b', '\u009f'])
      await expectRefused({ description: `x${control}x` }, 'description');
  });

  it('bidirectional overrides are refused in title and answers', async () => {
    await expectRefused({ title: `x${RLO}x` }, 'title');
    await expectRefused({ answers: ['one', `x${RLO}x`] }, 'answers.1');
    await expectTaken({ title: 'مرحبا, שלום', description: `x${RLO}x` });
  });

  it('half a character is refused', async () => {
    const body = `{"poll":{"title":"x\\ud800","answers":["a","b"]}}`;
    expect((await post(relay.url, body)).json.error.issues[0].path).toBe('poll.title');
  });

  it.each(FLAGS)('%s is true, false, 1 or 0', async flag => {
    const deadline = FUTURE;
    for (const value of [true, false, 1, 0]) await expectTaken({ deadline, [flag]: value });
    for (const value of ['true', '1', 2, -1, null, [], {}])
      await expectRefused({ deadline, [flag]: value }, flag);
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
  ])('takes the deadline %s, and shows it as %s', async (deadline, shown) => {
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
  ])('refuses the deadline %s, which is no moment, active or not', async deadline => {
    await expectRefused({ has_deadline: true, deadline }, 'deadline');
    await expectRefused({ has_deadline: false, deadline }, 'deadline');
  });

  it('takes whoever sends a deadline, or closes_in, for wanting one', async () => {
    for (const end of [{ deadline: FUTURE }, { closes_in: 60 }, { deadline: FUTURE, closes_in: null }]) {
      const { json } = await create({ ...end, results_visibility: 'after_deadline' });
      expect((await relay.engine.polls.find(json.id))?.results.deadlineMs).not.toBeNull();
    }
    await expectRefused({ deadline: '2020-01-01T00:00:00.000Z' }, 'deadline');
    for (const none of [{}, { deadline: null }, { has_deadline: false, deadline: null }])
      expect((await create(none)).json).toMatchObject({ deadline: null });
  });

  it('stores a deadline that is switched off, wherever it lies, and closes nothing by it', async () => {
    const deadline = '2020-01-01T00:00:00.000Z';
    const { json } = await create({ has_deadline: false, deadline });
    expect(json).toMatchObject({ deadline: null, status: 'open' });
    expect(await relay.read(json.id)).toMatchObject({ deadline: null, status: 'open' });
    const stored = await relay.engine.polls.find(json.id);
    expect(stored?.poll.inactiveDeadlineMs).toBe(Date.parse(deadline));
  });

  it('requires an active deadline, in the future', async () => {
    await expectRefused({ has_deadline: true }, 'deadline');
    await expectRefused({ has_deadline: true, deadline: null }, 'deadline');
    await expectRefused({ has_deadline: true, deadline: '2020-01-01T00:00:00.000Z' }, 'deadline');
  });

  it('counts closes_in from the clock of the engine', async () => {
    const realNow = relay.engine.polls.now;
    relay.engine.polls.now = async () => Date.parse('2990-01-01T00:00:00.000Z');
    const { json } = await create({ has_deadline: true, closes_in: 31_536_000 });
    relay.engine.polls.now = realNow;
    expect(json.deadline).toBe('2991-01-01T00:00:00.000Z');
  });

  it('keeps closes_in of an upcoming poll until it is opened', async () => {
    const { json } = await create({ status: 'upcoming', closes_in: 30 });
    expect(json).toMatchObject({ status: 'upcoming', deadline: null, closes_in: 30 });
    expect(await relay.read(json.id)).toMatchObject({ status: 'upcoming', deadline: null, closes_in: 30 });
    await expectTaken({ status: 'upcoming', closes_in: 30, results_visibility: 'after_deadline' });
    await expectTaken({ status: 'upcoming', closes_in: 30, has_deadline: true });
    const switchedOff = await create({ status: 'upcoming', closes_in: 30, has_deadline: false });
    expect(switchedOff.json).not.toHaveProperty('closes_in');
  });

  it('takes closes_in of 5 seconds to a year, and not together with a deadline', async () => {
    for (const closes_in of [5, 7.5, 31_536_000]) await expectTaken({ closes_in });
    for (const closes_in of [4.999, 0, -60, 31_536_001, '60', true, [60]])
      await expectRefused({ closes_in }, 'closes_in');
    await expectRefused({ closes_in: 60, deadline: FUTURE }, 'closes_in');
  });

  it('image is null or an absolute https URL of up to 2,048 characters', async () => {
    const longest = `https://example.com/${'x'.repeat(2_048 - 20)}`;
    for (const image of [null, 'https://example.com/a.png?b=c#d', longest]) await expectTaken({ image });
    for (const image of ['http://example.com/a.png', '/a.png', 'https://', 'data:image/png;base64,AA', 7, ''])
      await expectRefused({ image }, 'image');
    await expectRefused({ image: `${longest}x` }, 'image');
  });

  it('status is open or upcoming, and nothing else', async () => {
    for (const status of ['open', 'upcoming']) {
      const { json } = await create({ status });
      expect([json.status, (await relay.read(json.id)).status]).toEqual([status, status]);
    }
    for (const status of ['closed', 'Upcoming', true, null]) await expectRefused({ status }, 'status');
  });

  it('results_visibility is always, hidden, or after_deadline where there is one', async () => {
    for (const results_visibility of ['always', 'hidden']) await expectTaken({ results_visibility });
    await expectTaken({ results_visibility: 'after_deadline', has_deadline: true, deadline: FUTURE });
    await expectRefused({ results_visibility: 'after_deadline' }, 'results_visibility');
    for (const results_visibility of ['never', true, null])
      await expectRefused({ results_visibility }, 'results_visibility');
  });
});
