import { describe, expect, it } from 'vitest';
import { parameters, readParameters } from '../../src/picture/parameters.ts';
import { composePicture } from '../../src/picture/picture.ts';
import { Rehearsal } from '../../src/picture/rehearsal.ts';
import { seededRandom } from '../../src/poll/rehearsal.ts';
import type { ResultsBody } from '../../src/protocol/messages.ts';

const START_MS = 1_800_000_000_000;
const settings = (query: string) => readParameters(new URLSearchParams(query)).settings;
const rehearse = (query: string) => new Rehearsal(settings(query), START_MS, seededRandom(1));

describe('Rehearsal', () => {
  it.each(parameters.cast.choices)('adds votes whose sum is the total, with cast=%s', cast => {
    const rehearsal = rehearse(`cast=${cast}`);
    const before = rehearsal.read(START_MS) as ResultsBody;
    for (let step = 0; step < 20; step++) rehearsal.step();
    const after = rehearsal.read(START_MS) as ResultsBody;
    expect(after.total_votes).toBeGreaterThan(before.total_votes);
    expect(after.total_votes).toBe(after.poll_answers.reduce((sum, answer) => sum + answer.votes, 0));
    expect(after.version).toBeGreaterThan(before.version);
  });

  it('has texts of the maximum length', () => {
    const { title, poll_answers } = rehearse('cast=long').read(START_MS);
    expect(title).toHaveLength(300);
    expect(Math.max(...poll_answers.map(answer => answer.answer.length))).toBe(200);
  });

  it.each([
    ['voting', { moment: 'open' }],
    ['away', { moment: 'open' }],
    ['waiting', { moment: 'waiting', totalVotes: 0 }],
    ['hidden', { moment: 'hidden', revealsAtDeadline: true }],
    ['closed', { moment: 'closed', tie: false }],
    ['tie', { moment: 'closed', tie: true }],
  ])('has the moment %s', (moment, picture) => {
    const rehearsal = rehearse(`moment=${moment}`);
    rehearsal.step();
    expect(composePicture(rehearsal.read(START_MS), settings(''), 9)).toMatchObject(picture);
  });
});
