import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  csvCell,
  formatResults,
  RESULTS_FORMATS,
  type ResultsFormat,
  type ResultsRow,
  spreadsheetCell,
  xmlText,
} from '../../src/api/results-formats.ts';
import { pollSettings, type Reading, type Results } from '../../src/poll/poll.ts';
import { anyText } from '../support/any-text.ts';
import { parseCsv } from './parse-csv.ts';

/** New columns are appended. */
const COLUMNS = [
  'id',
  'answer',
  'sorting',
  'votes',
  'percent',
  'percent_decimal',
  'rank',
  'winner',
  'tie',
  'poll_id',
  'title',
  'total_votes',
  'total_voters',
  'status',
  'deadline',
  'results_visibility',
  'version',
  'timestamp',
  'leading',
  'voided_votes',
  'revealed_from',
];

function reading(answers: Record<string, number>, results: Partial<Results> = {}, title = 'Tea?'): Reading {
  const votes = Object.values(answers);
  return {
    hintedAtMs: 0,
    poll: {
      id: 'poll00000001',
      title,
      description: '',
      answers: Object.keys(answers).map((text, index) => ({ id: `a${index + 1}`, text })),
      settings: pollSettings(),
      image: null,
      createdAtMs: 1_700_000_000_000,
    },
    results: {
      version: 31,
      votes,
      totalVoters: votes.reduce((sum, count) => sum + count, 0),
      status: 'open',
      deadlineMs: null,
      resultsVisibility: 'always',
      readAtMs: 1_700_000_001_234,
      ...results,
    },
    keys: { adminKeyHash: '', viewKeyHash: '' },
  };
}

const rowsOf = (from: Reading): ResultsRow[] => JSON.parse(formatResults(from, 'rows').body);

describe('rows', () => {
  it('is an array of flat objects with all columns in order', () => {
    const { contentType, body } = formatResults(
      reading({ Yes: 2, No: 1 }, { deadlineMs: 1_700_000_060_000 }),
      'rows',
    );
    expect(contentType).toBe('application/json; charset=utf-8');
    const rows: ResultsRow[] = JSON.parse(body);
    expect(rows.map(row => Object.keys(row))).toEqual([COLUMNS, COLUMNS]);
    expect(rows[0]).toEqual({
      id: 'a1',
      answer: 'Yes',
      sorting: 1,
      votes: 2,
      percent: 67,
      percent_decimal: '66.7',
      rank: 1,
      winner: false,
      tie: false,
      poll_id: 'poll00000001',
      title: 'Tea?',
      total_votes: 3,
      total_voters: 3,
      status: 'open',
      deadline: '2023-11-14T22:14:20.000Z',
      results_visibility: 'always',
      version: 31,
      timestamp: 1_700_000_001,
      leading: true,
      voided_votes: 0,
      revealed_from: 0,
    });
  });

  it('keeps one type per column, with a deadline and without', () => {
    const types = (row: ResultsRow): string[] => Object.values(row).map(value => typeof value);
    const [a, b] = rowsOf(reading({ Yes: 1, No: 0 }));
    const [c] = rowsOf(reading({ Yes: 1, No: 1 }, { deadlineMs: 1_700_000_060_000 }));
    expect(types(a!)).toEqual(types(b!));
    expect(types(a!)).toEqual(types(c!));
  });

  it('repeats the number of removed votes in each row', () => {
    const rows = rowsOf(reading({ Yes: 1, No: 0 }, { voidedVotes: 7 }));
    expect(rows.map(row => row.voided_votes)).toEqual([7, 7]);
  });

  it.each(['open', 'closed'] as const)('marks all top answers of a poll that is %s as a tie', status => {
    const isOpen = status === 'open';
    const rows = rowsOf(reading({ A: 4, B: 1, C: 4 }, { status }));
    expect(rows.map(({ rank, leading, winner, tie }) => [rank, leading, winner, tie])).toEqual([
      [1, isOpen, !isOpen, true],
      [3, false, false, true],
      [1, isOpen, !isOpen, true],
    ]);
  });

  it.each(['open', 'closed'] as const)(
    'has no leader, no winner and no share without a vote while it is %s',
    status => {
      for (const row of rowsOf(reading({ A: 0, B: 0 }, { status })))
        expect(row).toMatchObject({
          percent: 0,
          percent_decimal: '0.0',
          rank: 1,
          leading: false,
          winner: false,
          tie: false,
        });
    },
  );

  it('gives equal votes equal figures', () => {
    const rows = rowsOf(reading({ A: 1, B: 1, C: 1 }));
    expect(rows.map(({ percent, percent_decimal }) => [percent, percent_decimal])).toEqual(
      Array(3).fill([33, '33.3']),
    );
  });
});

describe('csv', () => {
  it('has a header, one record per answer, and ends each line with CRLF', () => {
    const { contentType, body } = formatResults(reading({ 'Tea, "hot"': 1, Milk: 0 }), 'csv');
    expect(contentType).toBe('text/csv; charset=utf-8; header=present');
    expect(body.split('\r\n')).toHaveLength(4);
    expect(body.endsWith('\r\n')).toBe(true);
    const [header, first] = parseCsv(body);
    expect(header).toEqual([...COLUMNS]);
    expect(first?.[COLUMNS.indexOf('answer')]).toBe('Tea, "hot"');
  });

  it('has the exact texts, which programs read', () => {
    const { body } = formatResults(reading({ '=1+1': 1, '-1 °C': 0 }), 'csv');
    expect(parseCsv(body).map(row => row[1])).toEqual(['answer', '=1+1', '-1 °C']);
  });

  it.each(['=1+1', '+1', '-1', '@A1', '\t=1', '\r=1', '＝1', '＋1', '－1', '＠x', '\u200B=1', ' =1'])(
    'defuses %j in a file for spreadsheets',
    text => {
      expect(parseCsv(`${spreadsheetCell(text)}\r\n`)).toEqual([[`'${text}`]]);
    },
  );

  it('parses back to what went in, and never begins a cell of a spreadsheet like a formula', () => {
    const unit = fc.constantFrom(
      '=',
      '+',
      '-',
      '@',
      '＝',
      '"',
      ',',
      ';',
      '\r',
      '\n',
      '\t',
      ' ',
      "'",
      'a',
      '\u200B',
      '🫖',
    );
    const text = fc.oneof(fc.string({ unit, maxLength: 8 }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), texts => {
        expect(parseCsv(`${texts.map(csvCell).join(',')}\r\n`)[0]).toEqual(texts);
        const cells = parseCsv(`${texts.map(spreadsheetCell).join(',')}\r\n`)[0]!;
        expect(cells).toHaveLength(texts.length);
        for (const [index, cell] of cells.entries()) {
          expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/u);
          expect([texts[index], `'${texts[index]}`]).toContain(cell);
        }
      }),
    );
  });
});

describe('xml', () => {
  it('nests one row per answer, escaped', () => {
    const { contentType, body } = formatResults(reading({ '<b>&"\'': 1, No: 0 }), 'xml');
    expect(contentType).toBe('application/xml; charset=utf-8');
    expect(body.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n<results>\n  <row><id>a1</id>')).toBe(
      true,
    );
    expect(body).toContain('<answer>&lt;b&gt;&amp;&quot;&apos;</answer>');
    expect(body.match(/<row>/g)).toHaveLength(2);
  });

  it('never lets out a character that XML 1.0 forbids', () => {
    expect(xmlText('a\u0000\u001B\uFFFE\uFFFF\uD800b')).toBe('a\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDb');
    fc.assert(
      fc.property(anyText(), text => {
        expect(xmlText(text)).not.toMatch(
          /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]|[<>]/u,
        );
      }),
    );
  });
});

describe('text', () => {
  it('has the title, one line per answer and the total', () => {
    expect(formatResults(reading({ Yes: 12, No: 18 }), 'text')).toEqual({
      contentType: 'text/plain; charset=utf-8',
      body: 'Tea?\nYes: 12 (40 %)\nNo: 18 (60 %)\nTotal: 30\n',
    });
  });

  it('names voters where a ballot carried several answers', () => {
    expect(formatResults(reading({ A: 2, B: 2 }, { totalVoters: 3 }), 'text').body).toContain(
      'Total: 4 from 3 voters\n',
    );
  });

  it.each([
    [1, '1 vote removed'],
    [3, '3 votes removed'],
  ])('has a line for %d removed votes, above the outcome', (voidedVotes, line) => {
    const { body } = formatResults(reading({ Yes: 2, No: 1 }, { voidedVotes, status: 'closed' }), 'text');
    expect(body).toBe(`Tea?\nYes: 2 (67 %)\nNo: 1 (33 %)\nTotal: 3\n${line}\nWinner: Yes\n`);
  });

  it.each([
    [{ A: 2, B: 1 }, 'Winner: A\n'],
    [{ A: 2, B: 2 }, 'Tie: A, B\n'],
    [{ A: 0, B: 0 }, 'Closed without a vote\n'],
  ])('says how %j ended', (answers, line) => {
    expect(formatResults(reading(answers, { status: 'closed' }), 'text').body.endsWith(line)).toBe(true);
  });
});

describe('every shape', () => {
  const shape = (status: Results['status'], format: ResultsFormat): string =>
    formatResults(reading({ A: 2, B: 1 }, { status }), format).body;
  /** The first row's `winner` and `leading` as a shape gives them. */
  const read: Record<string, (body: string) => unknown> = {
    rows: body => JSON.parse(body).map((row: ResultsRow) => [`${row.winner}`, `${row.leading}`])[0],
    csv: body => ['winner', 'leading'].map(name => parseCsv(body)[1]![COLUMNS.indexOf(name as 'winner')]),
    xml: body => ['winner', 'leading'].map(name => new RegExp(`<${name}>(\\w+)<`).exec(body)![1]),
    text: body => [`${body.includes('Winner: A')}`, `${!body.includes('Winner')}`],
  };

  it.each(RESULTS_FORMATS)('names the winner only of a closed poll: %s', format => {
    expect(read[format]!(shape('open', format))).toEqual(['false', 'true']);
    expect(read[format]!(shape('closed', format))).toEqual(['true', 'false']);
  });
});
