import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textWidth } from '../../src/cli/terminal.ts';
import { describeResults, drawBar, drawResults } from '../../src/cli/results-text.ts';
import { statusLine } from '../../src/cli/status-line.ts';
import type { ResultsMessage } from '../../src/client/watch-state.ts';
import { hiddenMessage, resultsMessage } from '../client/results-message.ts';

const SIZE = { columns: 60, rows: 24, color: false };

function results(answers: Record<string, number>, more: Partial<ResultsMessage> = {}): ResultsMessage {
  const total = Object.values(answers).reduce((sum, votes) => sum + votes, 0);
  return resultsMessage(1, {
    poll_answers: Object.entries(answers).map(([answer, votes], index) => ({
      id: `a${index}`,
      answer,
      sorting: index + 1,
      type: 'text',
      votes,
    })),
    total_votes: total,
    total_voters: total,
    ...more,
  });
}

describe('a bar', () => {
  it.each([
    [0, '    '],
    [0.0001, '▏   '],
    [0.5, '██  '],
    [0.53125, '██▏ '],
    [1, '████'],
  ])('of share %f looks like %j', (share, bar) => {
    expect(drawBar(share, 4)).toBe(bar);
  });

  it('has its width whatever the share', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(200), (share, width) => {
        expect(drawBar(share, width)).toHaveLength(width);
      }),
    );
  });
});

describe('the picture', () => {
  it('has title, bars, figures and state', () => {
    expect(drawResults(results({ Yes: 12, No: 1_234 }), 'live', SIZE)).toEqual([
      '  Tea?',
      '',
      `  Yes  ${drawBar(12 / 1_234, 37)}    1 %     12`,
      `  No   ${'█'.repeat(37)}   99 %  1,234`,
      '',
      '  1,246 votes · live',
    ]);
  });

  it('fits every terminal, whatever the poll', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
    const answers = fc.uniqueArray(fc.tuple(text, fc.nat(10_000_000_000)), {
      minLength: 2,
      maxLength: 100,
      selector: ([answer]) => answer,
    });
    fc.assert(
      fc.property(
        answers,
        text,
        fc.integer({ min: 40, max: 250 }),
        fc.integer({ min: 6, max: 60 }),
        (pairs, title, columns, rows) => {
          const lines = drawResults(results(Object.fromEntries(pairs), { title }), 'live', {
            columns,
            rows,
            color: false,
          });
          expect(lines.length).toBeLessThanOrEqual(rows);
          for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('says how many answers it has no room for', () => {
    const answers = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`Answer ${index}`, index]));
    const lines = drawResults(results(answers), 'live', { ...SIZE, rows: 14 });
    expect(lines).toHaveLength(14);
    expect(lines[11]).toBe('  and 21 more');
  });

  it('takes colour only where there is some, and marks the leader', () => {
    expect(drawResults(results({ Yes: 1, No: 0 }), 'live', SIZE).join('')).not.toContain('\x1b');
    expect(drawResults(results({ Yes: 1, No: 0 }), 'live', { ...SIZE, color: true })[2]).toContain(
      '\x1b[32m█',
    );
  });

  it('lets no terminal control through from a title or an answer', () => {
    const lines = drawResults(
      results({ '\x1b[2Jx': 1, No: 0 }, { title: 'a\x1b]52;c;AAAA\x07' }),
      'live',
      SIZE,
    );
    expect(lines.join('')).not.toMatch(/\p{Cc}/u);
    expect(describeResults(results({ '\x1b[2Jx': 1 }))).not.toMatch(/\p{Cc}/u);
  });
});

it('shows equal counts with equal figures', () => {
  const tied = results({ A: 1, B: 1, C: 1 });
  expect(describeResults(tied)).toContain('A: 1 (33 %) | B: 1 (33 %) | C: 1 (33 %)');
  for (const line of drawResults(tied, 'live', SIZE).slice(2, 5)) expect(line).toMatch(/ 33 % {2}1$/);
});

it('describes results in one line', () => {
  expect(describeResults(results({ Yes: 2, No: 1 }, { total_voters: 2 }))).toBe(
    '2023-11-14T22:13:20.000Z v1 open, 3 votes from 2 voters | Yes: 2 (67 %) | No: 1 (33 %)',
  );
});

describe('the status', () => {
  it.each([
    [{ Yes: 2, No: 1 }, 'winner: Yes'],
    [{ Yes: 2, No: 2 }, 'tie: Yes, No'],
    [{ Yes: 0, No: 0 }, 'without a vote'],
  ])('of %j in the end is %j', (answers, words) => {
    const closed = results(answers, { status: 'closed' });
    expect(statusLine({ state: 'final', via: 'sse' }, closed)).toBe(`closed, ${words}`);
  });

  it('says what to do where the results are hidden, and nothing dangerous where the relay refuses', () => {
    expect(statusLine({ state: 'hidden', hidden: hiddenMessage() }, undefined)).toContain('--key');
    expect(statusLine({ state: 'refused', code: 4404, error: '', message: 'no\x1b[2J' }, undefined)).toBe(
      'no [2J',
    );
  });
});
