import { expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { PollProgress } from '../../src/events/poll-progress.ts';
import type { Reading } from '../../src/poll/poll.ts';
import { newPoll } from '../contract/engine/engine-subject.ts';

it('the progress of a round is told also if its counts are those of the round before', async () => {
  const { poll, keys } = newPoll({}, 0);
  const counts = {
    votes: [1, 0, 0],
    totalVoters: 1,
    status: 'open',
    deadlineMs: null,
    resultsVisibility: 'always',
  };
  let reading: Reading;
  const read = (version: number, round?: number) => {
    const results = { ...counts, version, readAtMs: 1 } as Reading['results'];
    reading = { poll: { ...poll, ...(round && { round }) }, keys, results, hintedAtMs: 0 };
    return progress.find(poll.id);
  };
  const progress = new PollProgress({
    polls: { find: async () => reading } as never as Engine['polls'],
    hints: { follow: () => ({ ready: Promise.resolve(), unfollow: () => {} }) } as never as Engine['hints'],
  });
  progress.follow({ subject: poll.id, showId: null });
  const first = await read(2);
  expect(await read(2)).toBe(first);
  expect(await read(5, 2)).toMatchObject({ id: `evt_${poll.id}_progress_5`, data: { round: 2 } });
});
