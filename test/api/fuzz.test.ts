import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiReply, ask, faultOfError, GOOD_POLL, post } from '../support/api-request.ts';
import { type CreatedPoll, startTestRelay, type TestRelay } from '../support/test-relay.ts';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 150);
const NAMES = [
  'title',
  'description',
  'answers',
  'co',
  'has_deadline',
  'deadline',
  'image',
  'results_visibility',
];

/** Anything that JSON can say, and here and there something that looks nearly right. */
const anyJson = fc.jsonValue({ maxDepth: 5 });
const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom('\u0000', '\ud83d', '\u202e', '"', '\\'), fc.string()),
});
const nearlyPoll = fc
  .dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), fc.oneof(anyJson, anyText, fc.double()))
  .map(fields => ({ poll: { ...GOOD_POLL, ...fields } }));
const headerText = fc.stringMatching(/^[\x20-\x7e]{0,80}$/);

/** Whatever is sent, the answer is a success or an error of the contract's shape, and never a fault of ours. */
describe('random requests', () => {
  let relay: TestRelay;
  let open: CreatedPoll;
  let hidden: CreatedPoll;
  beforeAll(async () => {
    relay = await startTestRelay({ createPerMinute: 1_000_000 });
    open = await relay.create();
    hidden = await relay.create({ results_visibility: 'hidden' });
  });
  afterAll(() => relay.close());

  const expectCalm = (reply: ApiReply) => {
    if (reply.status < 400) return;
    expect(reply.status).toBeLessThan(500);
    expect(faultOfError(reply)).toBeUndefined();
  };
  const check = <T>(arbitrary: fc.Arbitrary<T>, sent: (value: T) => Promise<ApiReply>) =>
    fc.assert(
      fc.asyncProperty(arbitrary, async value => expectCalm(await sent(value))),
      { numRuns: RUNS },
    );

  it('JSON of any kind as a body is created or refused', () =>
    check(fc.oneof(anyJson, nearlyPoll), body => post(relay.url, JSON.stringify(body))));

  it('what is created from random fields can be read, and says what was sent', async () => {
    let created = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          title: fc.string({ unit: 'grapheme', maxLength: 300 }),
          answers: fc.uniqueArray(fc.string({ unit: 'grapheme' }), { maxLength: 100 }),
        }),
        async poll => {
          const reply = await post(relay.url, { poll });
          expectCalm(reply);
          if (reply.status !== 201) return;
          created += 1;
          const results = await relay.read(reply.json.id);
          expect(results.title).toBe(poll.title.normalize('NFC').trim());
          expect(results.poll_answers.map(({ answer }) => answer)).toEqual(
            poll.answers.map(text => text.normalize('NFC').trim()),
          );
        },
      ),
      { numRuns: RUNS },
    );
    expect(created).toBeGreaterThan(0);
  });

  it('bytes of any kind as a body are refused', () =>
    check(
      fc.tuple(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom('application/json', 'text/plain', 'image/png'),
      ),
      ([body, type]) =>
        ask(`${relay.url}/api/poll`, {
          method: 'POST',
          body: Buffer.from(body),
          headers: { 'content-type': type },
        }),
    ));

  it('a broken copy of a good body is created or refused', () =>
    check(
      fc.tuple(fc.nat(200), fc.string({ minLength: 1, maxLength: 3 }), fc.boolean()),
      ([at, text, cut]) => {
        const body = JSON.stringify({ poll: { ...GOOD_POLL, ma: true, deadline: null, image: null } });
        const place = at % body.length;
        return post(relay.url, body.slice(0, place) + text + body.slice(cut ? place + text.length : place));
      },
    ));

  it('headers of any text are taken or refused', () =>
    check(
      fc.tuple(
        fc.dictionary(
          fc.constantFrom(
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
          ),
          headerText,
        ),
        fc.boolean(),
      ),
      ([headers, isPost]) =>
        isPost
          ? post(relay.url, { poll: GOOD_POLL }, headers)
          : ask(`${relay.url}/api/poll/${hidden.id}`, { headers }),
    ));

  it('queries of any text are answered or refused', () =>
    check(
      fc.tuple(fc.constantFrom('format', 'key', 'since', 'hz', 'x'), anyText, fc.boolean()),
      ([name, value, isHidden]) =>
        ask(
          `${relay.url}/api/poll/${(isHidden ? hidden : open).id}?${name}=${encodeURIComponent(value.toWellFormed())}`,
        ),
    ));

  it('addresses of any text are answered or refused', () =>
    check(
      fc.tuple(
        fc.webPath(),
        fc.webQueryParameters(),
        fc.constantFrom('GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
      ),
      ([path, query, method]) => ask(`${relay.url}/api/poll/${path}?${query}`, { method }),
    ));
});
