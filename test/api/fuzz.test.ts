import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiReply, ask, faultOfError, GOOD_POLL, post } from '../support/api-request.ts';
import { type CreatedPoll, startTestRelay, type TestRelay } from '../support/test-relay.ts';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 150);
const FIELDS = [
  'title',
  'description',
  'answers',
  'co',
  'has_deadline',
  'deadline',
  'image',
  'results_visibility',
];
const HEADERS = [
  'x-api-key',
  'authorization',
  'api-key',
  'if-none-match',
  'idempotency-key',
  'accept',
  'origin',
  'content-type',
  'x-forwarded-for',
  'last-event-id',
  'cookie',
  'range',
  'expect-ct',
];

const anyJson = fc.jsonValue({ maxDepth: 5 });
const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom('\u0000', '\ud83d', '\u202e', '"', '\\'), fc.string()),
});
const nearlyPoll = fc
  .dictionary(fc.oneof(fc.constantFrom(...FIELDS), fc.string()), fc.oneof(anyJson, anyText, fc.double()))
  .map(fields => ({ poll: { ...GOOD_POLL, ...fields } }));
const brokenCopy = fc
  .tuple(fc.nat(200), fc.string({ minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([at, text, cut]) => {
    const body = JSON.stringify({ poll: { ...GOOD_POLL, ma: true, deadline: null, image: null } });
    const place = at % body.length;
    return body.slice(0, place) + text + body.slice(cut ? place + text.length : place);
  });
const anyHeaders = fc.dictionary(fc.constantFrom(...HEADERS), fc.stringMatching(/^[\x20-\x7e]{0,80}$/));
const methods = fc.constantFrom('GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS');

describe('random requests get a success or an error of the contract', () => {
  let relay: TestRelay;
  let open: CreatedPoll;
  let hidden: CreatedPoll;
  beforeAll(async () => {
    relay = await startTestRelay({ createPerMinute: 1_000_000 });
    open = await relay.create();
    hidden = await relay.create({ results_visibility: 'hidden' });
  });
  afterAll(() => relay.close());

  const expectNoFault = (reply: ApiReply) => {
    if (reply.status < 400) return;
    expect(reply.status).toBeLessThan(500);
    expect(faultOfError(reply)).toBeUndefined();
  };
  const check = <T>(arbitrary: fc.Arbitrary<T>, send: (value: T) => Promise<ApiReply>) =>
    fc.assert(
      fc.asyncProperty(arbitrary, async value => expectNoFault(await send(value))),
      { numRuns: RUNS },
    );
  const poll = (id: string, query = '', headers = {}) =>
    ask(`${relay.url}/api/poll/${id}${query}`, { headers });

  it('JSON bodies', () =>
    check(fc.oneof(anyJson, nearlyPoll), body => post(relay.url, JSON.stringify(body))));

  it('broken JSON bodies', () => check(brokenCopy, body => post(relay.url, body)));

  it('binary bodies', () =>
    check(
      fc.tuple(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom('application/json', 'text/plain', 'image/png'),
      ),
      ([body, type]) => {
        const headers = { 'content-type': type };
        return ask(`${relay.url}/api/poll`, { method: 'POST', body: Buffer.from(body), headers });
      },
    ));

  it('headers', () =>
    check(fc.tuple(anyHeaders, fc.boolean()), ([headers, isPost]) =>
      isPost ? post(relay.url, { poll: GOOD_POLL }, headers) : poll(hidden.id, '', headers),
    ));

  it('queries', () =>
    check(
      fc.tuple(fc.constantFrom('format', 'key', 'since', 'hz', 'x'), anyText, fc.boolean()),
      ([name, value, isHidden]) =>
        poll((isHidden ? hidden : open).id, `?${name}=${encodeURIComponent(value.toWellFormed())}`),
    ));

  it('URLs', () =>
    check(fc.tuple(fc.webPath(), fc.webQueryParameters(), methods), ([path, query, method]) =>
      ask(`${relay.url}/api/poll/${path}?${query}`, { method }),
    ));

  it('a poll with random texts reads as it was sent', async () => {
    const texts = fc.record({
      title: fc.string({ unit: 'grapheme', maxLength: 300 }),
      answers: fc.uniqueArray(fc.string({ unit: 'grapheme' }), { maxLength: 100 }),
    });
    const clean = (text: string) => text.normalize('NFC').trim();
    let created = 0;
    await check(texts, async sent => {
      const reply = await post(relay.url, { poll: sent });
      if (reply.status !== 201) return reply;
      created += 1;
      const { title, poll_answers } = await relay.read(reply.json.id);
      expect([title, poll_answers.map(({ answer }) => answer)]).toEqual([
        clean(sent.title),
        sent.answers.map(clean),
      ]);
      return reply;
    });
    expect(created).toBeGreaterThan(0);
  });
});
