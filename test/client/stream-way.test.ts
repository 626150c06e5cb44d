import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EventParser } from '../../src/client/stream-way.ts';

function read(...pieces: string[]): { data: string[]; retryMs: number | undefined } {
  const data: string[] = [];
  const stream = new EventParser(event => data.push(event));
  for (const piece of pieces) stream.push(piece);
  return { data, retryMs: stream.retryMs };
}

it('hands on the data of each event, and nothing of comments, ids and names', () => {
  const text = ': hello\n\nid: 7\nevent: results\ndata: {"a":1}\n\n: keep-alive\n\ndata:two\ndata: lines\n\n';
  expect(read(text).data).toEqual(['{"a":1}', 'two\nlines']);
});

it('holds back an event that has not ended', () => {
  expect(read('data: 1\n\ndata: 2\n').data).toEqual(['1']);
});

it('keeps the pause that the server asks for with its last word, unless it is no number', () => {
  expect(read('retry: 1500\n\ndata: 1\n\n').retryMs).toBeUndefined();
  expect(read('data: 1\n\nretry: 150', '0\n\n').retryMs).toBe(1_500);
  expect(read('retry: 1500\n\n').retryMs).toBe(1_500);
  expect(read('retry: soon\n\n').retryMs).toBeUndefined();
});

it('reads the same events wherever the stream is cut, and whatever ends its lines', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('a', ':', ' ', '{', '🫖') }), { minLength: 1 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
      (events, eol, sizes) => {
        // An event after the last one ends the lone CR, which may be the first half of a CRLF.
        const text = `${events.map(event => `data: ${event}${eol}${eol}`).join('')}: end${eol}`;
        const pieces: string[] = [];
        for (let at = 0; at < text.length; ) {
          const size = sizes.next().value!;
          pieces.push(text.slice(at, at + size));
          at += size;
        }
        expect(read(...pieces).data).toEqual(events);
      },
    ),
  );
});
