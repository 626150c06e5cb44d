import { EventEmitter } from 'node:events';
import type { WriteStream } from 'node:tty';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeResults, drawBar, drawResults } from '../../src/cli/results-text.ts';
import { textWidth } from '../../src/cli/terminal.ts';
import { LiveScreen, statusLine } from '../../src/cli/watch.ts';
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
  ])('for a share of %f is %j', (share, bar) => {
    expect(drawBar(share, 4)).toBe(bar);
  });

  it('has its width for any share', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(200), (share, width) => {
        expect(drawBar(share, width)).toHaveLength(width);
      }),
    );
  });
});

describe('the drawing', () => {
  it('fits every terminal for any poll', () => {
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

  it('states how many answers do not fit', () => {
    const answers = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`Answer ${index}`, index]));
    const lines = drawResults(results(answers), 'live', { ...SIZE, rows: 14 });
    expect(lines).toHaveLength(14);
    expect(lines[11]).toBe('  and 21 more');
  });

  it('uses color only if the terminal has it, and marks the leader', () => {
    expect(drawResults(results({ Yes: 1, No: 0 }), 'live', SIZE).join('')).not.toContain('\x1b');
    expect(drawResults(results({ Yes: 1, No: 0 }), 'live', { ...SIZE, color: true })[2]).toContain(
      '\x1b[32m█',
    );
  });

  it('contains no control characters from a title or an answer', () => {
    const lines = drawResults(
      results({ '\x1b[2Jx': 1, No: 0 }, { title: 'a\x1b]52;c;AAAA\x07' }),
      'live',
      SIZE,
    );
    expect(lines.join('')).not.toMatch(/\p{Cc}/u);
    expect(describeResults(results({ '\x1b[2Jx': 1 }))).not.toMatch(/\p{Cc}/u);
  });
});

it('shows equal figures for equal counts', () => {
  const tied = results({ A: 1, B: 1, C: 1 });
  expect(describeResults(tied)).toContain('A: 1 (33 %) | B: 1 (33 %) | C: 1 (33 %)');
  for (const line of drawResults(tied, 'live', SIZE).slice(2, 5)) expect(line).toMatch(/ 33 % {2}1$/);
});

it('says how many votes were removed, if any', () => {
  const drawn = (more: Partial<ResultsMessage>) =>
    drawResults(results({ Yes: 2, No: 1 }, more), 'live', SIZE);
  expect(drawn({ voided_votes: 1_000 }).at(-1)).toBe('  3 votes, 1,000 votes removed · live');
  expect(drawn({}).join('\n')).not.toContain('removed');
  expect(describeResults(results({ Yes: 2 }, { voided_votes: 1 }))).toContain(
    'open, 2 votes, 1 vote removed | ',
  );
});

describe('the status', () => {
  it.each([
    [{ Yes: 2, No: 1 }, 'winner: Yes'],
    [{ Yes: 2, No: 2 }, 'tie: Yes, No'],
    [{ Yes: 0, No: 0 }, 'no votes'],
  ])('of a closed poll with %j is %j', (answers, words) => {
    const closed = results(answers, { status: 'closed' });
    expect(statusLine({ state: 'final', via: 'sse' }, closed)).toBe(`closed, ${words}`);
  });

  it('names the option for hidden results, and contains no control characters of a rejection', () => {
    expect(statusLine({ state: 'hidden', hidden: hiddenMessage() }, undefined)).toContain('--key');
    expect(statusLine({ state: 'refused', code: 4404, error: '', message: 'no\x1b[2J' }, undefined)).toBe(
      'no [2J',
    );
  });
});

class FakeTerminal extends EventEmitter {
  rows = 3;
  written = '';

  write(text: string): boolean {
    this.written += text;
    return true;
  }
}

function opened(draw: () => string[]): { terminal: FakeTerminal; screen: LiveScreen } {
  const terminal = new FakeTerminal();
  return { terminal, screen: new LiveScreen(terminal as unknown as WriteStream, draw) };
}

it('draws over the old lines, also after a resize, and never below the last row', () => {
  let drawn = 0;
  const { terminal } = opened(() => {
    drawn += 1;
    return ['a', 'b', 'c', 'd'];
  });
  expect(terminal.written.endsWith('\x1b[Ha\x1b[K\r\nb\x1b[K\r\nc\x1b[K\x1b[J')).toBe(true);
  terminal.written = '';
  terminal.rows = 1;
  terminal.emit('resize');
  expect(terminal.written).toBe('\x1b[Ha\x1b[K\x1b[J');
  expect(drawn).toBe(2);
});

it('restores the terminal on close, and leaves the last drawing in its history', () => {
  const { terminal, screen } = opened(() => ['last']);
  screen.close();
  expect(terminal.written.startsWith('\x1b[?1049h\x1b[?25l')).toBe(true);
  expect(terminal.written.endsWith('\x1b[?25h\x1b[?1049llast\n')).toBe(true);
  expect(terminal.listenerCount('resize')).toBe(0);
});
