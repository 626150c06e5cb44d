import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, expectError, GOOD_POLL, issuesOf, post, send } from '../support/api-request.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { logLines } from '../support/log-lines.ts';
import { type CreatedPoll, startTestRelay, type TestRelay } from '../support/test-relay.ts';

const VOTE_URL = 'https://vote.example';

/** What the relay says to a program that is not quite right. */
describe('the relay', () => {
  let relay: TestRelay;
  let open: CreatedPoll;
  let hidden: CreatedPoll;
  beforeAll(async () => {
    relay = await startTestRelay({ voteUrl: VOTE_URL });
    open = await relay.create();
    hidden = await relay.create({ results_visibility: 'hidden' });
  });
  afterAll(() => relay.close());

  const read = (query: string, headers: Record<string, string> = {}) =>
    ask(`${relay.url}/api/poll/${open.id}${query}`, { headers });

  it.each(['/api/polls', '/api', '/api/poll/x/y/z', '/nowhere'])(
    'names the documents where it has nothing: %s',
    async path => {
      const reply = await ask(relay.url + path);
      expectError(reply, 404, 'route_not_found');
      expect(reply.json.error.message).toMatch(/The API is explained at http:\S+\/docs\.$/);
    },
  );

  it.each(['/api/vote', '/api/poll/x/vote', '/api/poll/x/votes?to=1', '/api/poll/x/ballot', '/vote'])(
    'says that people vote on pages, also to %s',
    async path => {
      for (const method of ['GET', 'POST']) {
        const reply = await ask(relay.url + path, { method });
        expectError(reply, 404, 'route_not_found');
        expect(reply.json.error.message).toContain(`people vote on the pages of ${VOTE_URL}`);
      }
    },
  );

  it('names the methods of a URL that has others', async () => {
    const reply = await ask(`${relay.url}/api/poll/${open.id}`, { method: 'PUT' });
    expectError(reply, 405, 'method_not_allowed');
    expect(reply.json.error.message).toBe('This URL supports GET, HEAD, PATCH, DELETE, not PUT.');
  });

  it('accepts format=json, which is the usual reply', async () => {
    const [plain, named] = [await read(''), await read('?format=json')];
    expect({ ...named.json, timestamp: 0 }).toEqual({ ...plain.json, timestamp: 0 });
    expect(named.headers.get('etag')).toBe(plain.headers.get('etag'));
  });

  it.each([
    ['formatt=csv', 'formatt', 'format'],
    ['fromat=csv', 'fromat', 'format'],
    ['Format=csv', 'Format', 'format'],
    ['maxAge=5', 'maxAge', 'max_age'],
    ['rounds=1', 'rounds', 'round'],
    ['keys=x', 'keys', 'key'],
  ])('rejects a slip in a parameter: %s', async (query, name, meant) => {
    const reply = await read(`?${query}`);
    expectError(reply, 400, 'invalid_request');
    expect(issuesOf(reply)).toEqual({ [name]: `is unknown. Did you mean ${meant}?` });
    const live = await ask(`${relay.url}/api/poll/${open.id}/live?heartbeet=1`);
    expect(issuesOf(live)).toEqual({ heartbeet: 'is unknown. Did you mean heartbeat?' });
  });

  it('rejects a slip in a parameter of a picture, and draws with a cache buster', async () => {
    const picture = (query: string) => ask(`${relay.url}/api/poll/${open.id}/picture.png?${query}`);
    expect(issuesOf(await picture('acent=f00'))).toEqual({ acent: 'is unknown. Did you mean accent?' });
    expect((await picture('_=1795944171&utm_source=mail')).status).toBe(200);
  });

  it.each([
    '_=1',
    't=1',
    'ts=1',
    'cb=1',
    'rnd=1',
    'rand=1',
    'time=1',
    'nocache=1',
    'utm_source=mail',
    'fbclid=1',
  ])('lists another parameter in `ignored`, such as a cache buster: %s', async query => {
    const [name] = query.split('=');
    expect((await read(`?${query}`)).json).toMatchObject({ id: open.id, ignored: [name] });
    expect((await read(`/definition?${query}`)).json.ignored).toEqual([name]);
    for (const format of ['rows', 'csv', 'xml', 'text'])
      expect((await read(`?format=${format}&${query}`)).text).not.toContain('ignored');
  });

  it('lists nothing where nothing was ignored', async () => {
    expect((await read('?format=json&max_age=1')).json).not.toHaveProperty('ignored');
    expect((await read('/nowhere')).json).not.toHaveProperty('ignored');
    expect((await post(relay.url, { poll: { title: '' } })).json).not.toHaveProperty('ignored');
  });

  it('lists unknown members of the body in errors, too', async () => {
    const reply = await post(relay.url, { poll: { question: 'Q', options: ['a', 'b'] }, extra: 1 });
    expectError(reply, 400, 'invalid_request');
    expect(reply.json.ignored).toEqual(['extra', 'question', 'options']);
  });

  it('lists unknown names of body and query together', async () => {
    const reply = await send(`${relay.url}/api/poll?ref=1`, 'POST', { poll: { ...GOOD_POLL, titel: '' } });
    expect([reply.status, reply.json.ignored]).toEqual([201, ['titel', 'ref']]);
  });

  it('writes errors as a person would', async () => {
    const path = `${relay.url}/api/poll/${open.id}`;
    const change = await send(path, 'PATCH', { poll: { status: 'closed' } }, open.view_key);
    expect(change.json.error.message).toMatch(/^This key can’t change this poll\./);
    for (const [deadline, message] of [
      ['2990-01-31T18:00:00', 'has no time zone: add Z or an offset, as in 2030-01-31T18:00:00+01:00'],
      ['2990-01-31 18:00:00.5', 'has no time zone: add Z or an offset, as in 2030-01-31T18:00:00+01:00'],
      // As a field of a page has it.
      ['2990-01-31T18:00', 'has no time zone: add Z or an offset, as in 2030-01-31T18:00:00+01:00'],
      ['2990-13-31T18:00', 'must be a valid time, like 2030-01-31T18:00:00.000Z'],
      ['tomorrow', 'must be a valid time, like 2030-01-31T18:00:00.000Z'],
    ])
      expect(issuesOf(await post(relay.url, { poll: { ...GOOD_POLL, deadline } }))).toEqual({
        'poll.deadline': message,
      });
  });

  it('returns the id of a request, or makes one, in the header and in errors', async () => {
    const given = await read('', { 'x-request-id': 'job-7/3' });
    expect(given.headers.get('x-request-id')).toBe('job-7/3');
    const error = await ask(`${relay.url}/api/poll/${hidden.id}`, { headers: { 'x-request-id': 'job-8' } });
    expect([error.status, error.json.error.request_id]).toEqual([401, 'job-8']);
    for (const path of [`/api/poll/${open.id}`, '/api/polls', '/api/poll/%c0%', '/docs', '/livez']) {
      const made = (await ask(relay.url + path)).headers.get('x-request-id');
      expect(made).toMatch(/^[0-9a-f]{12}$/);
    }
    for (const unsafe of ['a b', '"', 'x'.repeat(101)]) {
      const replaced = await read('', { 'x-request-id': unsafe });
      expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f]{12}$/);
    }
  });

  it('pages of every site can read the id of a request', async () => {
    const { headers } = await read('', { origin: 'https://show.example' });
    expect(headers.get('access-control-expose-headers')).toContain('X-Request-Id');
  });
});

it('the log has the id of the reply', async () => {
  const { logger, lines } = logLines('debug');
  const inner = await startTestRelay();
  const faulty = new EngineDouble(inner.engine);
  const relay = await startTestRelay({ engine: faulty.engine, logger });
  faulty.lose();
  const headers = { 'x-request-id': 'job-9' };
  const reply = await ask(`${relay.url}/api/poll/abcdefabcdef`, { headers });
  expect([reply.status, reply.json.error.request_id]).toEqual([503, 'job-9']);
  expect(lines.join('')).toMatch(/"requestId":"job-9"[^\n]*request rejected, engine unavailable/);
  await relay.close();
  await inner.close();
});
