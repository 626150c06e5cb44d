import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idOfRule } from '../../src/poll/void-rule.ts';
import type { ResultsBody } from '../../src/protocol/messages.ts';
import { type ApiReply, ask, expectError } from '../support/api-request.ts';
import { type CreatedPoll, startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { restoreBallots, voidBallots } from '../support/void-ballots.ts';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const FORMATS = ['rows', 'csv', 'xml', 'text'];

describe('reading results', () => {
  let relay: TestRelay;
  let open: CreatedPoll;
  let hidden: CreatedPoll;
  beforeAll(async () => {
    relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY] });
    open = await relay.create({ ma: true });
    hidden = await relay.create({ results_visibility: 'hidden' });
    await relay.cast(hidden.id, 1, 3);
  });
  afterAll(() => relay.close());

  const read = (id: string, headers: Record<string, string> = {}, query = ''): Promise<ApiReply> =>
    ask(`${relay.url}/api/poll/${id}${query}`, { headers });

  it('gives every field of the contract, and no other', async () => {
    const seconds = () => Math.floor(Date.now() / 1_000);
    const before = seconds();
    const { status, json } = await read(open.id);
    const after = seconds();
    expect(status).toBe(200);
    expect(json).toEqual({
      id: open.id,
      title: 'Which song next?',
      poll_answers: [
        { id: expect.any(String), answer: 'Waterloo', sorting: 1, type: 'text', votes: 0 },
        { id: expect.any(String), answer: 'Volare', sorting: 2, type: 'text', votes: 0 },
      ],
      total_votes: 0,
      success: 1,
      timestamp: expect.any(Number),
      version: 1,
      position: expect.stringMatching(/^1-[\w-]{12}$/),
      total_voters: 0,
      status: 'open',
      deadline: null,
      results_visibility: 'always',
      description: '',
      co: false,
      ma: true,
      enter_name: false,
      only_reg: false,
      vpn: false,
      chat_words: false,
      change_vote: false,
      verifiable: false,
      min_choices: 1,
      max_choices: 2,
      answer_order: 'given',
    });
    expect(Number.isInteger(json.timestamp)).toBe(true);
    expect(json.timestamp).toBeGreaterThanOrEqual(before);
    expect(json.timestamp).toBeLessThanOrEqual(after);
  });

  it('counts votes, and voters apart from them', async () => {
    const { id } = await relay.create({ ma: true });
    const reading = await relay.engine.polls.find(id);
    const answers = reading?.poll.answers.map(answer => answer.id) ?? [];
    const ballot = { pollId: id, answers, voter: 'v', address: 'a', ballotId: 'b' };
    expect((await relay.engine.castBallot(ballot)).outcome).toBe('accepted');
    expect(await relay.read(id)).toMatchObject({ total_votes: 2, total_voters: 1, version: 2 });
  });

  it('names the votes of removed ballots until those count again', async () => {
    const { id } = await relay.create();
    await relay.cast(id, 0, 3);
    const all = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
    const before = await read(id);
    await voidBallots(relay.engine.polls, id, all);
    const removed = await read(id, { 'if-none-match': before.headers.get('etag') as string });
    expect(removed.json).toMatchObject({ total_votes: 0, total_voters: 0, voided_votes: 3 });
    expect((await read(id, {}, '?format=rows')).json[0]).toMatchObject({ votes: 0, voided_votes: 3 });
    await restoreBallots(relay.engine.polls, id, idOfRule(all));
    const { json } = await read(id);
    expect(json).toMatchObject({ total_votes: 3, total_voters: 3 });
    expect(json).not.toHaveProperty('voided_votes');
  });

  it('counts people by source, in every format, once some came from chat', async () => {
    const { id } = await relay.create({ answers: ['a', 'b'] });
    await relay.cast(id, 0, 3);
    const before = await read(id);
    expect(before.json).not.toHaveProperty('by_source');
    expect((await read(id, {}, '?format=rows')).json[0]).not.toHaveProperty('voters_page');
    await relay.cast(id, 1, 2, 'twitch');
    const { json } = await read(id, { 'if-none-match': before.headers.get('etag') as string });
    expect(json).toMatchObject({ total_voters: 5, by_source: { page: 3, twitch: 2 } });
    const row = { voters_page: 3, voters_twitch: 2, voters_youtube: 0, voters_kick: 0 };
    expect((await read(id, {}, '?format=rows')).json).toMatchObject([row, row]);
    expect((await read(id, {}, '?format=csv')).text.split('\r\n')[0]).toMatch(
      /,voters_page,voters_twitch,voters_youtube,voters_kick$/,
    );
    expect((await read(id, {}, '?format=xml')).text).toContain('<voters_twitch>2</voters_twitch>');
    expect((await read(id, {}, '?format=text')).text).toContain('\nTotal: 5\nPage: 3, Twitch: 2\n');
    await voidBallots(relay.engine.polls, id, { source: 'twitch', toMs: Number.MAX_SAFE_INTEGER });
    expect((await read(id)).json).not.toHaveProperty('by_source');
  });

  it('says 304 while nothing has changed, and not once something has', async () => {
    const { id } = await relay.create();
    const first = await read(id);
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('no-cache');
    expect(etag).toBe(`W/"${first.json.position}"`);
    const known = [etag, etag.slice(2), `"other", ${etag}`, '*'];
    for (const tag of known) {
      const again = await read(id, { 'if-none-match': tag });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    expect((await read(id, { 'if-none-match': 'W/"other"' })).status).toBe(200);
    await relay.cast(id);
    const changed = await read(id, { 'if-none-match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  it('tags each format by itself', async () => {
    const tags = await Promise.all(
      ['', ...FORMATS.map(format => `?format=${format}`)].map(async query =>
        (await read(open.id, {}, query)).headers.get('etag'),
      ),
    );
    expect(new Set(tags).size).toBe(FORMATS.length + 1);
  });

  it('lets every origin read, with every header that a key travels in', async () => {
    const reply = await read(open.id, { origin: 'https://show.example' });
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull();
    expect(reply.headers.get('access-control-expose-headers')).toContain('ETag');
    const preflight = await ask(`${relay.url}/api/poll/${open.id}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://show.example', 'access-control-request-method': 'GET' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toMatch(/^GET, HEAD\b/);
    for (const header of ['X-API-Key', 'API-KEY', 'Authorization'])
      expect(preflight.headers.get('access-control-allow-headers')).toContain(header);
    expect((await ask(`${relay.url}/api/poll`, { method: 'OPTIONS' })).status).toBe(204);
  });

  it('answers HEAD like GET, without the body', async () => {
    const reply = await ask(`${relay.url}/api/poll/${open.id}`, { method: 'HEAD' });
    expect([reply.status, reply.text]).toEqual([200, '']);
    expect(reply.headers.get('etag')).toBe((await read(open.id)).headers.get('etag'));
  });

  it('shows without a key what steps of a reveal have shown, and everything with one', async () => {
    const { id, view_key } = await relay.create({ answers: ['a', 'b', 'c'], results_visibility: 'hidden' });
    for (const [answer, votes] of [3, 1, 2].entries()) await relay.cast(id, answer, votes);
    await relay.engine.polls.change(id, { closed: true });
    expect((await read(id)).status).toBe(401);
    await relay.engine.polls.change(id, { revealedFrom: 3 });
    const reply = await read(id);
    expect(reply.headers.get('cache-control')).toBe('no-cache');
    const body: ResultsBody = reply.json;
    expect(body).toMatchObject({ success: 1, revealed_from: 3, total_votes: 6, total_voters: 6, ma: false });
    expect(body.poll_answers.map(({ votes, ...rest }) => [votes, 'place' in rest && rest.place])).toEqual([
      [undefined, false],
      [1, 3],
      [undefined, false],
    ]);
    for (const name of ['version', 'position', 'timestamp', 'type']) expect(body).not.toHaveProperty(name);
    expect((await read(id, {}, '?format=text')).text).toBe(
      'Which song next?\na\nb: 1 (17 %)\nc\nTotal: 6\nRevealed up to place 3\n',
    );
    const rows: Record<string, unknown>[] = (await read(id, {}, '?format=rows')).json;
    expect(
      rows.map(row => [row['votes'], row['percent_decimal'], row['rank'], row['revealed_from']]),
    ).toEqual([
      [null, null, null, 3],
      [1, '16.7', 3, 3],
      [null, null, null, 3],
    ]);
    const keyed = await read(id, { 'x-api-key': view_key });
    expect(keyed.headers.get('cache-control')).toBe('private, no-store');
    const known: ResultsBody = keyed.json;
    expect(known.poll_answers.map(({ votes }) => votes)).toEqual([3, 1, 2]);
    expect(known.revealed_from).toBe(3);
    expect((await read(id, { 'x-api-key': 'view_wrong' })).status).toBe(403);
    await relay.engine.polls.change(id, { revealedFrom: null });
    expect((await read(id)).status).toBe(401);
  });

  it('shows hidden results to every rightful key, in every header', async () => {
    for (const key of [hidden.admin_key, hidden.view_key, OPERATOR_KEY])
      for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }, { 'api-key': key }]) {
        const reply = await read(hidden.id, headers as Record<string, string>);
        expect([reply.status, reply.json.total_votes]).toEqual([200, 3]);
        expect(reply.headers.get('cache-control')).toBe('private, no-store');
        expect(reply.headers.get('etag')).toBeNull();
      }
  });

  it('takes a key from the address only where it is a view_key', async () => {
    expect((await read(hidden.id, {}, `?key=${hidden.view_key}`)).status).toBe(200);
    for (const key of [hidden.admin_key, OPERATOR_KEY, 'x']) {
      const reply = await read(hidden.id, {}, `?key=${key}`);
      expectError(reply, 403, 'api_key_rejected');
    }
    for (const query of ['?key=', `?key=${hidden.view_key}&key=x`])
      expect((await read(hidden.id, {}, query)).status).toBe(401);
  });

  it('refuses keys of other polls, and keys that are nearly right', async () => {
    const { view_key, admin_key } = await relay.create({ results_visibility: 'hidden' });
    for (const key of [view_key, admin_key, `${hidden.view_key}x`, hidden.view_key.slice(0, -1)])
      expect((await read(hidden.id, { 'x-api-key': key })).status).toBe(403);
  });

  it('hides every format alike', async () => {
    for (const format of FORMATS) {
      expect((await read(hidden.id, {}, `?format=${format}`)).status).toBe(401);
      const reply = await read(hidden.id, { 'x-api-key': hidden.view_key }, `?format=${format}`);
      expect([reply.status, reply.headers.get('etag')]).toEqual([200, null]);
      expect(reply.headers.get('cache-control')).toBe('private, no-store');
    }
  });
});
