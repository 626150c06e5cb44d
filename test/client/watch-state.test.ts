import { expect, it } from 'vitest';
import { withoutCounts } from '../../src/client/watch-state.ts';
import type { HiddenMessage } from '../../src/protocol/messages.ts';
import { knownHidden, knownResults } from '../overlay/poll-snapshots.ts';

/** All that a poll without counts may have. */
const facts = {
  title: 'Who sang best?',
  status: 'open',
  join_code: '123456',
  deadline: '2026-01-01T00:00:00.000Z',
  closes_in: 60,
  results_visibility: 'after_deadline',
  round: 2,
  chat_labels: ['ann', 'bob'],
  rehearsal: true,
} as const satisfies Required<
  Omit<
    HiddenMessage,
    'type' | 'success' | 'id' | 'poll_answers' | 'revealed_from' | 'total_votes' | 'total_voters'
  >
>;

it('a poll without its counts keeps everything else that hidden results have', () => {
  const hidden = knownHidden(facts);
  expect(withoutCounts(hidden)).toStrictEqual(hidden);
  const results = knownResults([3, 2], { ...facts, revealed_from: 2 });
  expect(JSON.stringify(withoutCounts(results))).not.toMatch(/votes|total|revealed/);
  expect(withoutCounts(results)).toMatchObject(facts);
});
