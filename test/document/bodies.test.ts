import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changePollBody, createPollBody } from '../../src/poll/poll-schema.ts';
import { changeShowBody, createShowBody } from '../../src/show/show-schema.ts';
import { acceptsBody } from '../support/described-api.ts';

/** Bodies that are almost right: each member is left out, right, wrong in its kind, or on the edge. */

const text = fc.oneof(
  fc.constantFrom(
    'a',
    ' a ',
    '',
    ' ',
    '\u200b',
    'a\u202eb',
    'a\tb',
    '\ta',
    'a\nb',
    'a\u0085b',
    '\ufeff',
    '\u{1F600}',
    '\u{E0001}',
  ),
  fc.string({ unit: 'grapheme-composite', maxLength: 12 }),
  fc.integer({ min: 198, max: 302 }).map(length => 'x'.repeat(length)),
);
const wrong = fc.constantFrom(null, 2, 'yes', [], {}, 1.5);
const flag = fc.constantFrom(true, false, 0, 1);
const end = {
  deadline: fc.constantFrom(null, '2099-01-31T18:00:00.000Z', '2099-01-31T18:00:00+02:00'),
  closes_in: fc.constantFrom(null, 4, 5, 60.5, 31_536_000, 31_536_001),
};
const results_visibility = fc.constantFrom('always', 'after_deadline', 'hidden', 'never');

/** @param members that may be wrong; few are, or nothing would ever be accepted */
function bodies(wrapper: string, members: Record<string, fc.Arbitrary<unknown>>) {
  const given = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, fc.oneof({ weight: 19, arbitrary: value }, wrong)]),
  );
  return fc.record(given, { requiredKeys: [] }).map(inside => ({ [wrapper]: inside }));
}

const POLL = {
  title: fc.oneof({ weight: 3, arbitrary: fc.constant('Which song next?') }, text),
  answers: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(['Waterloo', 'Volare'], ['a', 'a'], ['a']) },
    fc.tuple(fc.constant('Waterloo'), text),
  ),
  description: text,
  priv: flag,
  has_deadline: flag,
  ...end,
  image: fc.constantFrom(null, 'https://a.example/b.png', 'http://a.example/', 'a.png'),
  results_visibility,
  status: fc.constantFrom('open', 'upcoming', 'closed'),
};

/** What is the same to the eye, though not to a program, is beyond a JSON Schema. */
function alike({ poll: { answers } }: { poll: { answers?: unknown } }): boolean {
  const bare = (answer: unknown) => `${answer}`.trim();
  return Array.isArray(answers) && new Set(answers.map(bare)).size < answers.length;
}

const CASES = [
  ['POST /api/poll', createPollBody, bodies('poll', POLL).filter(body => !alike(body as never))],
  [
    'PATCH /api/poll/{id}',
    changePollBody,
    bodies('poll', {
      title: text,
      description: text,
      answers: fc.oneof(
        fc.constantFrom(
          [{ id: 'a', answer: 'Waterloo' }, { answer: 'Volare' }],
          [{ answer: 'Waterloo' }],
          [{ id: '', answer: 'Waterloo' }, { id: 'b' }],
          ['Waterloo', 'Volare'],
        ),
        text.map(answer => [{ answer: 'Waterloo' }, { id: 'b', answer }]),
      ),
      status: fc.constantFrom('open', 'closed', 'upcoming'),
      results_visibility,
      ...end,
    }),
  ],
  [
    'POST /api/show',
    createShowBody,
    bodies('show', { name: fc.constantFrom('evening', 'new', 'a', '-ab', 'a-b'), title: text }),
  ],
  [
    'PATCH /api/show/{name}',
    changeShowBody,
    bodies('show', { title: text, on_air: fc.constantFrom(null, 'nobodyisHere', 'rehearsal', 'x') }),
  ],
] as const;

describe('the OpenAPI document takes a body where the relay does, and no other one', () => {
  it.each(CASES)('%s', (operation, schema, arbitrary) => {
    const [method = '', path = ''] = operation.split(' ');
    const outcomes = new Set<boolean>();
    fc.assert(
      fc.property(arbitrary, body => {
        const taken = schema.safeParse(body).success;
        outcomes.add(taken);
        expect([body, acceptsBody(path, method.toLowerCase(), body)]).toEqual([body, taken]);
      }),
      { numRuns: 1_000 },
    );
    expect(outcomes.size).toBe(2);
  });
});
