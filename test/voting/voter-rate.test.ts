import { expect, it } from 'vitest';
import { VoterRate } from '../../src/creator/desk/browser/desk-connection.ts';
import { resultsMessage } from '../client/results-message.ts';

it('counts new voters, and not those whose ballots count again after a removal', () => {
  const rate = new VoterRate();
  for (const [total_voters, voided_votes] of [
    [600, undefined],
    [603, undefined],
    [103, 500],
    [105, 500],
    [605, undefined],
    [606, undefined],
  ] as const)
    rate.add(resultsMessage(1, { total_voters, ...(voided_votes && { voided_votes }) }));
  expect(rate.read()).toBe(6);
});
