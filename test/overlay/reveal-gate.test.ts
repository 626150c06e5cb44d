import { describe, expect, it } from 'vitest';
import { RevealGate } from '../../src/overlay/browser/live/overlay.ts';
import { hasResults } from '../../src/picture/picture.ts';
import { knownResults } from './poll-snapshots.ts';

const inRound = (round?: number) => ({
  poll: knownResults([5, 3, 2], { status: 'closed', results_visibility: 'hidden', round }),
  away: false,
});

describe('a gate that has revealed a round', () => {
  it.each([1, 3])('holds the next round of the same poll, after %i of 3 steps', step => {
    const gate = new RevealGate();
    gate.goTo(step, inRound());
    expect(gate.stepOf(inRound())).toBe(step);
    for (const round of [2, 3]) {
      expect(gate.stepOf(inRound(round))).toBe(0);
      expect(gate.holds(inRound(round).poll)).toBe(true);
      const { poll } = gate.filter(inRound(round));
      expect(poll?.poll_answers.map(({ votes }) => votes)).toEqual([undefined, undefined, undefined]);
    }
  });

  it('keeps it revealed, also where the first round has its number', () => {
    const gate = new RevealGate();
    gate.open(inRound());
    for (const round of [undefined, 1]) expect(hasResults(gate.filter(inRound(round)).poll!)).toBe(true);
    gate.open(inRound(2));
    expect(gate.filter(inRound(2))).toEqual(inRound(2));
  });
});
