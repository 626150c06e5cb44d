import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, expectError, send } from '../support/api-request.ts';
import { inMessages, startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { type TestShow, takeShow } from '../support/test-show.ts';
import { voidBallots } from '../support/void-ballots.ts';
import { parseCsv } from './parse-csv.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';

describe('the results of a show', () => {
  let relay: TestRelay;
  let show: TestShow;
  let [own, foreign, open, gone] = ['', '', '', ''];
  beforeAll(async () => {
    relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY] });
    show = await takeShow(relay);
    const hidden = { results_visibility: 'hidden' };
    own = (await show.addPoll({ ...hidden, title: '=1+1', answers: ['@A', 'B, "b"'] })).json.id;
    const { json: deleted } = await show.addPoll();
    gone = deleted.id;
    foreign = (await relay.create({ ...hidden, title: 'Theirs' })).id;
    open = (await relay.create({ title: 'Everyone’s' })).id;
    for (const id of [own, foreign, open]) await relay.cast(id, 1, 3);
    const everything = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
    await voidBallots(relay.engine.polls, own, everything);
    await relay.cast(own, 0, 2);
    await send(`${relay.url}/api/poll/${own}`, 'PATCH', { poll: { description: 'More' } }, show.key);
    await show.patch({ rundown: [gone, own, foreign, open], title: 'Friday' });
    await relay.engine.polls.remove(gone);
  });
  afterAll(() => relay.close());

  const csv = async (key: string, query = 'format=csv') => {
    const { text, headers } = await show.get(`/results?${query}`, key);
    const [names = [], ...rows] = parseCsv(text);
    const objects = rows.map(row => Object.fromEntries(names.map((name, at) => [name, row[at]])));
    return { names, rows: objects, headers };
  };

  it('are those of all polls, in order', async () => {
    const { status, json, headers } = await show.get('/results');
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect(headers.get('content-disposition')).toBeNull();
    expect(json).toMatchObject({ success: 1, name: show.name, title: 'Friday' });
    expect(json.polls).toEqual([
      { id: gone, gone: true, owned: false, title: null, results: null },
      { id: own, gone: false, owned: true, title: '=1+1', results: expect.anything() },
      { id: foreign, gone: false, owned: false, title: 'Theirs', results: null },
      { id: open, gone: false, owned: false, title: 'Everyone’s', results: expect.anything() },
    ]);
    expect(json.polls[1].results).toMatchObject({ total_votes: 2, voided_votes: 3 });
    expect(Date.parse(json.polls[1].results.edited_at)).toBeGreaterThan(0);
    expect(json.polls[3].results).toEqual({
      ...inMessages(await relay.read(open)),
      timestamp: expect.any(Number),
    });
  });

  it('as CSV are a file with a row for each answer', async () => {
    const { names, rows, headers } = await csv(show.key);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${show.name}-results.csv"`);
    const { text } = await ask(`${relay.url}/api/poll/${open}?format=csv`);
    const sources = ['page', 'twitch', 'youtube', 'kick'].map(source => `voters_${source}`);
    expect(names).toEqual(['place', ...parseCsv(text)[0]!, 'edited_at', ...sources, 'round']);
    expect(rows.map(row => [row['place'], row['poll_id'], row['votes']])).toEqual([
      ['2', own, '2'],
      ['2', own, '0'],
      ['3', foreign, ''],
      ['3', foreign, ''],
      ['4', open, '0'],
      ['4', open, '3'],
    ]);
    expect(rows[0]).toMatchObject({ title: '=1+1', answer: '@A', winner: 'false', voided_votes: '3' });
    const { rows: cells } = await csv(show.key, 'download=csv');
    expect(cells[0]).toMatchObject({ title: "'=1+1", answer: "'@A", votes: '2' });
    expect(rows[1]?.['answer']).toBe('B, "b"');
    expect(Date.parse(rows[0]?.['edited_at'] ?? '')).toBeGreaterThan(0);
    expect(rows[5]).toMatchObject({ rank: '1', percent: '100', edited_at: '' });
  });

  it('as CSV tell nothing of hidden votes', async () => {
    const { rows } = await csv(show.key);
    const told = Object.entries(rows[2]!).filter(([, cell]) => cell !== '');
    expect(Object.fromEntries(told)).toEqual({
      place: '3',
      poll_id: foreign,
      title: 'Theirs',
      status: 'open',
      results_visibility: 'hidden',
      id: expect.any(String),
      answer: 'Waterloo',
      sorting: '1',
    });
  });

  it('are all readable with an operator key', async () => {
    const { json } = await show.get('/results', OPERATOR_KEY);
    expect(json.polls[2].results).toMatchObject({ total_votes: 3 });
    expect((await csv(OPERATOR_KEY)).rows[3]).toMatchObject({ poll_id: foreign, votes: '3' });
  });

  it.each(['', '?format=csv'])('need the key of the show in a header (%j)', async query => {
    const url = `${relay.url}/api/show/${show.name}/results${query}`;
    expectError(await ask(url), 401, 'api_key_required');
    const { admin_key } = await relay.create();
    const other = await takeShow(relay);
    for (const key of [admin_key, other.key])
      expectError(await ask(url, { headers: { 'x-api-key': key } }), 403, 'api_key_rejected');
    const inQuery = `${url}${query === '' ? '?' : '&'}key=${show.key}`;
    expectError(await ask(inQuery), 403, 'api_key_rejected');
  });

  it('of no poll are empty, and other formats are rejected', async () => {
    const empty = await takeShow(relay);
    expect((await empty.get('/results')).json.polls).toEqual([]);
    expect(parseCsv((await empty.get('/results?format=csv')).text)).toHaveLength(1);
    expectError(await empty.get('/results?format=xml'), 400, 'invalid_request');
    const reply = await ask(`${relay.url}/api/show/no-such-show/results`, {
      headers: { 'x-api-key': OPERATOR_KEY },
    });
    expectError(reply, 404, 'show_not_found');
  });
});
