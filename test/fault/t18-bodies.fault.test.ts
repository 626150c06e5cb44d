// @module-tag redis-server
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkDraft, type PollDraft } from '../../src/poll/poll-schema.ts';
import { startProgram } from '../start/program.ts';
import { redisRig } from '../support/redis-rig.ts';
import { measured, seed, size } from './plan.ts';

const BODIES = size(500, 5_000);
const AT_ONCE = 20;
const HOUR_MS = 3_600_000;

const text = (max: number) =>
  fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: max }),
    fc.string({
      unit: fc.constantFrom('a', 'é', 'e\u0301', '<', '&', '"', '\\', ' ', '🫖'),
      minLength: 1,
      maxLength: 20,
    }),
  );
const flag = fc.constantFrom(true, false, 1, 0);
/** One moment in the spellings of RFC 3339. */
const moment = fc
  .tuple(fc.integer({ min: 1, max: 10_000 }), fc.constantFrom('ms', 's', 'zone', 'long'))
  .map(([hours, spelling]) => {
    const iso = new Date(Date.now() + hours * HOUR_MS).toISOString();
    if (spelling === 's') return iso.replace(/\.\d+Z$/, 'Z');
    if (spelling === 'zone') return iso.replace('Z', '+00:00');
    return spelling === 'long' ? iso.replace('Z', '000Z') : iso;
  });
const end = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 3, arbitrary: moment.map(deadline => ({ deadline })) },
  { weight: 2, arbitrary: fc.integer({ min: 600, max: 31_536_000 }).map(closes_in => ({ closes_in })) },
  { weight: 1, arbitrary: fc.record({ deadline: fc.option(moment), has_deadline: flag }) },
  { weight: 1, arbitrary: moment.map(deadline => ({ deadline, results_visibility: 'after_deadline' })) },
);
const others = fc.record(
  {
    title: text(60),
    answers: fc.uniqueArray(text(40), { minLength: 2, maxLength: 8 }),
    description: fc.option(text(200)),
    ...{ priv: flag, co: flag, ma: flag, mip: flag, enter_name: flag, only_reg: flag, vpn: flag },
    has_image: flag,
    image: fc.option(fc.constant('https://a.test/b.png?c=%20#d')),
    results_visibility: fc.constantFrom('always', 'always', 'hidden', 'after_deadline'),
    status: fc.constantFrom('open', 'upcoming'),
  },
  { requiredKeys: ['title', 'answers'] },
);
const poll = fc.tuple(others, end).map(([rest, ending]) => ({ ...rest, ...ending }));

describe('T18 bodies that keep the rules', () => {
  const { start } = redisRig();

  it('T18: what the schema takes is created and read back as it was given, and what it refuses is refused', async () => {
    const redis = await start();
    const relay = await startProgram({
      ROLE: 'relay',
      REDIS_URL: redis.url,
      CREATE_PER_MINUTE: '1000000',
      CREATE_BYTES_PER_DAY: '1000000000',
    });
    await relay.running();
    const counts = { created: 0, refused: 0 };
    const roundTrip = async (given: object) => {
      const checked = checkDraft({ poll: given }, Date.now());
      const response = await fetch(`${relay.url}/api/poll`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ poll: given }),
      });
      const created = (await response.json()) as Created;
      expect([response.status, given]).toEqual([checked.success ? 201 : 400, given]);
      counts[checked.success ? 'created' : 'refused'] += 1;
      if (!checked.success) return;
      const headers = { 'x-api-key': created.view_key };
      const read = await fetch(`${relay.url}/api/poll/${created.id}`, { headers });
      expectSame((await read.json()) as object, checked.data.poll);
    };
    const bodies = fc.sample(poll, { numRuns: BODIES, seed });
    for (let at = 0; at < bodies.length; at += AT_ONCE)
      await Promise.all(bodies.slice(at, at + AT_ONCE).map(roundTrip));
    measured(
      'T18',
      `${BODIES} bodies by the rules: ${counts.created} created and read back as given, ${counts.refused} refused`,
    );
    // Most of them, or the scenario tests something else than it says.
    expect(counts.created).toBeGreaterThan((BODIES * 2) / 3);
  });
});

interface Created {
  readonly id: string;
  readonly view_key: string;
}

function expectSame(read: object, draft: PollDraft): void {
  const { title, answers, deadlineMs, results_visibility, status } = draft;
  expect(read).toMatchObject({ success: 1, title, results_visibility, status, total_votes: 0, version: 1 });
  const rows = (read as { poll_answers: { answer: string; sorting: number; votes: number }[] }).poll_answers;
  expect(rows.map(({ answer }) => answer)).toEqual(answers);
  expect(rows.map(({ sorting }) => sorting)).toEqual(answers.map((_, index) => index + 1));
  const { deadline } = read as { deadline: string | null };
  // What counts from now counts from the engine's now.
  if (deadlineMs !== null && draft.has_deadline)
    expect(Math.abs(Date.parse(deadline ?? '') - deadlineMs)).toBeLessThan(60_000);
  else expect(deadline).toBeNull();
}
