import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

  test('title and answers are required', async () => {
    const { json } = await post(relay.url, { poll: {} });
    expect(json.error.issues.map((issue: { path: string }) => issue.path)).toEqual([
      'poll.title',
      'poll.answers',
    ]);
    for (const body of [{}, [], null, 'poll', 3, { poll: null }, { poll: [] }])
      expect((await post(relay.url, JSON.stringify(body))).json.error.code).toBe('invalid_request');
  });

  test('title is 1 to 300 characters long after trimming, however many bytes they take', async () => {
    await expectTaken({ title: 'x' });
    await expectTaken({ title: `  ${'😀'.repeat(300)}  ` });
    for (const title of ['', '   ', '\u200b\u200d', 'x'.repeat(301), '😀'.repeat(301), 7, null, ['x']])
      await expectRefused({ title }, 'title');
  });

  test('description is up to 5,000 characters long, and empty where there is none', async () => {
    await expectTaken({ description: '' });
    await expectTaken({ description: 'x'.repeat(5_000) });
    for (const description of ['x'.repeat(5_001), 7, null])
      await expectRefused({ description }, 'description');
  });

  test('answers are 2 to 100 strings of 1 to 200 characters', async () => {
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

  test('no two answers are alike, in spelling, spacing or invisible characters', async () => {
    await expectTaken({ answers: ['Ja', 'ja'] });
    for (const twin of ['Café', 'Cafe\u0301', '  Café ', 'Ca\u200bfé'])
      await expectRefused({ answers: ['Café', 'Tee', twin] }, 'answers.2');
    await expectRefused({ answers: ['New  York', 'New York'] }, 'answers.1');
  });

  test('text comes back trimmed and in NFC', async () => {
    const { json } = await create({ title: '  Cafe\u0301? ', answers: [' a\u0308 ', 'b'] });
    const results = await relay.read(json.id);
    expect(results.title).toBe('Café?');
    expect(results.poll_answers.map(({ answer }) => answer)).toEqual(['ä', 'b']);
  });

  test('control characters are refused, but for line feed and tab in the description', async () => {
    for (const control of ['\u0000', '\u0007', '\u001b', '\u007f', '\u0085', 'a\nb', 'a\tb']) {
      await expectRefused({ title: `x${control}x` }, 'title');
      await expectRefused({ answers: ['one', `x${control}x`] }, 'answers.1');
    }
    await expectTaken({ description: 'one\n\ttwo' });
    for (const control of ['\u0000', '\r', '\u001b', '\u009f'])
      await expectRefused({ description: `x${control}x` }, 'description');
  });

  test('bidirectional overrides are refused in title and answers', async () => {
    await expectRefused({ title: `x${RLO}x` }, 'title');
    await expectRefused({ answers: ['one', `x${RLO}x`] }, 'answers.1');
    await expectTaken({ title: 'مرحبا, שלום', description: `x${RLO}x` });
  });

  test('half a character is refused', async () => {
    const body = `{"poll":{"title":"x\\ud800","answers":["a","b"]}}`;
    expect((await post(relay.url, body)).json.error.issues[0].path).toBe('poll.title');
  });

  test.each(FLAGS)('%s is true, false, 1 or 0', async flag => {
    const deadline = FUTURE;
    for (const value of [true, false, 1, 0]) await expectTaken({ deadline, [flag]: value });
    for (const value of ['true', '1', 2, -1, null, [], {}])
      await expectRefused({ deadline, [flag]: value }, flag);
  });

  test('a deadline is a real moment, to the millisecond and in UTC', async () => {
    await expectTaken({ has_deadline: true, deadline: FUTURE });
    await expectTaken({ has_deadline: 1, deadline: '2992-02-29T00:00:00.000Z' });
    const faulty = ['2999-02-29T00:00:00.000Z', '2999-13-01T00:00:00.000Z', '2999-01-01T24:00:00.000Z'];
    const unusual = [
      '2999-01-01T00:00:00Z',
      '2999-01-01T00:00:00.000+00:00',
      '2999-01-01',
      32_472_144_000_000,
      'soon',
    ];
    for (const deadline of [...faulty, ...unusual]) {
      await expectRefused({ has_deadline: true, deadline }, 'deadline');
      await expectRefused({ deadline }, 'deadline');
    }
  });

  test('an active deadline is required and lies in the future, an inactive one need not', async () => {
    await expectRefused({ has_deadline: true }, 'deadline');
    await expectRefused({ has_deadline: true, deadline: null }, 'deadline');
    await expectRefused({ has_deadline: true, deadline: '2020-01-01T00:00:00.000Z' }, 'deadline');
    await expectTaken({ deadline: null });
    const { json } = await create({ deadline: '2020-01-01T00:00:00.000Z' });
    expect(await relay.read(json.id)).toMatchObject({ deadline: null, status: 'open' });
  });

  test('image is null or an absolute https URL of up to 2,048 characters', async () => {
    const longest = `https://example.com/${'x'.repeat(2_048 - 20)}`;
    for (const image of [null, 'https://example.com/a.png?b=c#d', longest]) await expectTaken({ image });
    for (const image of ['http://example.com/a.png', '/a.png', 'https://', 'data:image/png;base64,AA', 7, ''])
      await expectRefused({ image }, 'image');
    await expectRefused({ image: `${longest}x` }, 'image');
  });

  test('results_visibility is always, hidden, or after_deadline where there is one', async () => {
    for (const results_visibility of ['always', 'hidden']) await expectTaken({ results_visibility });
    await expectTaken({ results_visibility: 'after_deadline', has_deadline: true, deadline: FUTURE });
    await expectRefused({ results_visibility: 'after_deadline' }, 'results_visibility');
    for (const results_visibility of ['never', true, null])
      await expectRefused({ results_visibility }, 'results_visibility');
  });
});
