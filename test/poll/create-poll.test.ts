import { describe, expect, it } from 'vitest';
import { createPollId, draftToPoll } from '../../src/poll/create-poll.ts';
import { unknownMembers } from '../../src/poll/input-rules.ts';
import { areResultsPublic, countVotes, FLAGS, isPollId } from '../../src/poll/poll.ts';
import { checkDraft, createPollBody, type PollDraft } from '../../src/poll/poll-schema.ts';
import { readingOf } from '../support/one-poll.ts';

const KEYS = { adminKeyHash: 'a', viewKeyHash: 'b' };
const NOW_MS = Date.parse('2030-01-01T00:00:00.000Z');
const draft = (fields: object): PollDraft => {
  const checked = checkDraft({ poll: { title: 'x', answers: ['a', 'b'], ...fields } }, NOW_MS);
  if (!checked.success) throw checked.error;
  return checked.data.poll;
};

describe('a new poll', () => {
  it('has a unique id of 12 letters and digits', () => {
    const ids = Array.from({ length: 2_000 }, createPollId);
    expect(new Set(ids).size).toBe(2_000);
    expect(ids.every(isPollId)).toBe(true);
  });

  it('rejects everything else as an id', () => {
    for (const text of [
      '',
      'a'.repeat(11),
      'a'.repeat(13),
      'aaaaaaaaaaa-',
      'aaaaaaaaaaa\n',
      '{aaaaaaaaaa}',
      'é'.repeat(12),
    ])
      expect(isPollId(text)).toBe(false);
  });

  it('has all flags off and all optional fields empty by default', () => {
    const { poll, deadlineMs, resultsVisibility } = draftToPoll(draft({}), 'id', KEYS, NOW_MS);
    expect(Object.values(poll.settings)).toEqual(Object.values(FLAGS).map(() => false));
    expect([poll.description, poll.image, deadlineMs, resultsVisibility]).toEqual(['', null, null, 'always']);
  });

  it('has unique answer ids', () => {
    const answers = Array.from({ length: 100 }, (_, index) => `answer ${index}`);
    const ids = [1, 2].flatMap(() =>
      draftToPoll(draft({ answers }), 'id', KEYS, NOW_MS).poll.answers.map(({ id }) => id),
    );
    expect(new Set(ids).size).toBe(200);
  });
});

it('unknown members are found beside the poll and inside it', () => {
  expect(unknownMembers(createPollBody, { poll: { title: 1, x: 1 }, y: 1 })).toEqual(['y', 'x']);
  expect(unknownMembers(createPollBody, { poll: { toString: 1, hasOwnProperty: 1 } })).toEqual([
    'toString',
    'hasOwnProperty',
  ]);
  for (const body of [null, undefined, 1, 'poll', [], [{ poll: 1 }]])
    expect(unknownMembers(createPollBody, body)).toEqual([]);
});

describe('results', () => {
  const at = (
    readAtMs: number,
    resultsVisibility: 'always' | 'hidden' | 'after_deadline',
    deadlineMs: number | null,
  ) => areResultsPublic(readingOf({ readAtMs, resultsVisibility, deadlineMs }).results);

  it('are public always, never, or from the deadline on', () => {
    expect([at(5, 'always', null), at(5, 'hidden', 1)]).toEqual([true, false]);
    expect([4, 5, 6].map(nowMs => at(nowMs, 'after_deadline', 5))).toEqual([false, true, true]);
    expect(at(5, 'after_deadline', null)).toBe(false);
  });

  it('count the votes of all answers', () => {
    expect(countVotes(readingOf({ votes: [41, 17] }).results)).toBe(58);
  });
});
