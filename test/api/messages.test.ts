import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, faultOfError, GOOD_POLL, post } from '../support/api-request.ts';
import { LiveClient } from '../support/live-client.ts';
import { type CreatedPoll, startTestRelay, type TestRelay } from '../support/test-relay.ts';

/** What somebody reads whose first try was wrong: where it is, and what to do about it. */
describe('a first try that is wrong', () => {
  let relay: TestRelay;
  let hidden: CreatedPoll;
  beforeAll(async () => {
    relay = await startTestRelay({ lacksSignIn: true });
    hidden = await relay.create({ results_visibility: 'hidden' });
  });
  afterAll(() => relay.close());

  const messageTo = async (body: unknown, headers?: Record<string, string>) => {
    const reply = await post(relay.url, body, headers);
    expect(faultOfError(reply)).toBeUndefined();
    return reply.json.error.message;
  };
  const issuesOf = async (body: unknown, headers?: Record<string, string>) =>
    (await post(relay.url, body, headers)).json.error.issues;

  it('an empty body is told to be empty', async () => {
    for (const body of ['', ' \n']) expect(await messageTo(body)).toBe('The body is empty: send JSON.');
  });

  it('a comma too many is told with its place, in objects and in arrays', async () => {
    expect(await messageTo('{"poll": {\n  "title": "a, }",\n}}')).toBe(
      'The body is not valid JSON: one comma too many in line 2, column 18.',
    );
    expect(await messageTo('{"poll":{"answers":["x","y",]}}')).toBe(
      'The body is not valid JSON: one comma too many in line 1, column 28.',
    );
  });

  it.each([
    ['poll=1', ': look in line 1, column 1'],
    ["{'poll':{}}", ': look in line 1, column 2'],
    ['{"poll":\n nope}', ': look in line 2, column 2'],
    ['{"poll":{}}}', ': look in line 1, column 12'],
    ['{"poll":{"title":"a"', ': its end is missing'],
    ['{"poll":{"title":"a" "answers":[]}}', ': look in line 1, column 22'],
  ])('%s is told where it stops being JSON', async (body, where) => {
    expect([`${await messageTo(body)}`.replace(/^.*?JSON/, '')]).toEqual([`${where}.`]);
  });

  it('JSON that is refused for a member which no body may have is told the member', async () => {
    for (const body of ['{"poll":{"__proto__":{}}}', '{"constructor":{"prototype":{}}}'])
      expect(await messageTo(body)).toContain('leave it out');
  });

  it('a poll without its wrapper is told to be wrapped', async () => {
    expect(await issuesOf(GOOD_POLL)).toEqual([
      { path: 'poll', message: 'is missing: wrap it, as in {"poll": {...}}' },
    ]);
  });

  it('what is missing is required, and not of a wrong type', async () => {
    expect(await issuesOf({ poll: {} })).toEqual([
      { path: 'poll.title', message: 'is required' },
      { path: 'poll.answers', message: 'is required' },
    ]);
  });

  it('a description of null is none', async () => {
    expect((await post(relay.url, { poll: { ...GOOD_POLL, description: null } })).status).toBe(201);
  });

  it('an Idempotency-Key that is too short is told how long it has to be', async () => {
    expect(await issuesOf({ poll: GOOD_POLL }, { 'idempotency-key': 'short' })).toEqual([
      { path: 'Idempotency-Key', message: 'must be 16 to 255 characters long' },
    ]);
  });

  it('an admin key in an address is told to travel in a header, by REST and on the stream', async () => {
    const query = `?key=${hidden.admin_key}`;
    const rest = await ask(`${relay.url}/api/poll/${hidden.id}${query}`);
    const events = await ask(`${relay.url}/api/poll/${hidden.id}/live${query}`);
    for (const { status, json } of [rest, events]) {
      expect(status).toBe(403);
      expect(json.error.message).toContain('send any other in a header');
    }
    const live = await LiveClient.open(`${relay.wsUrl}/api/poll/${hidden.id}/live${query}`);
    await live.end();
    expect(live.last).toMatchObject({ message: rest.json.error.message });
    live.close();
  });

  it('a poll for those who sign in is refused where nobody can sign in', async () => {
    const [issue] = await issuesOf({ poll: { ...GOOD_POLL, only_reg: true } });
    expect(issue).toEqual({ path: 'poll.only_reg', message: expect.stringContaining('sign-in') });
  });

  it.each(['key', 'since', 'hz', 'heartbeat'])(
    '%s given twice on the stream is told in words',
    async name => {
      const { json } = await ask(`${relay.url}/api/poll/${hidden.id}/live?${name}=1&${name}=2`);
      expect(json.error.issues).toEqual([{ path: name, message: expect.stringMatching(/^must be/) }]);
    },
  );
});
