import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EventParser } from '../../src/client/transports.ts';

function parse(...chunks: string[]): { data: string[]; retryMs: number | undefined } {
  const data: string[] = [];
  const parser = new EventParser(event => data.push(event));
  for (const chunk of chunks) parser.push(chunk);
  return { data, retryMs: parser.retryMs };
}

it('returns the data of each complete event, and ignores comments, ids and event names', () => {
  const text = ': hello\n\nid: 7\nevent: results\ndata: {"a":1}\n\n: keep-alive\n\ndata:two\ndata: lines\n\n';
  expect(parse(`${text}data: 3\n`).data).toEqual(['{"a":1}', 'two\nlines']);
});

it('keeps a retry that is a number and the last field', () => {
  expect(parse('retry: 1500\n\ndata: 1\n\n').retryMs).toBeUndefined();
  expect(parse('data: 1\n\nretry: 150', '0\n\n').retryMs).toBe(1_500);
  expect(parse('retry: soon\n\n').retryMs).toBeUndefined();
});

it('parses the same events for any chunks and line endings', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('a', ':', ' ', '{', '🫖') }), { minLength: 1 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
      (events, eol, sizes) => {
        // A lone CR may be half of a CRLF, so a comment has to follow the last event.
        const text = `${events.map(event => `data: ${event}${eol}${eol}`).join('')}: end${eol}`;
        const chunks: string[] = [];
        for (let at = 0; at < text.length; ) {
          const size = sizes.next().value!;
          chunks.push(text.slice(at, at + size));
          at += size;
        }
        expect(parse(...chunks).data).toEqual(events);
      },
    ),
  );
});
