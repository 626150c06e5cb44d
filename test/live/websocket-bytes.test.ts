import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PING, websocketClose, websocketControl, websocketText } from '../../src/live/websocket-frame.ts';

it.each([
  [0, [0x81, 0]],
  [1, [0x81, 1]],
  [125, [0x81, 125]],
  [126, [0x81, 126, 0, 126]],
  [65_535, [0x81, 126, 0xff, 0xff]],
  [65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]],
])('a text of %i bytes has the shortest header that holds its length', (length, head) => {
  const frame = websocketText('x'.repeat(length));
  expect([...frame.subarray(0, head.length)]).toEqual(head);
  expect(frame).toHaveLength(head.length + length);
  expect(frame.subarray(head.length).toString()).toBe('x'.repeat(length));
});

it('lengths are counted in bytes, not in characters', () => {
  const frame = websocketText('é'.repeat(63));
  expect([...frame.subarray(0, 4)]).toEqual([0x81, 126, 0, 126]);
  expect(frame.subarray(4).toString()).toBe('é'.repeat(63));
});

it('any text comes out as it went in', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), text => {
      const frame = websocketText(text);
      const head = Buffer.byteLength(text) < 126 ? 2 : 4;
      expect(frame.subarray(head).toString()).toBe(text);
    }),
  );
});

it('control frames carry their payload, and a close its code before the reason', () => {
  expect([...websocketControl(PING, Buffer.from('hi'))]).toEqual([0x89, 2, 0x68, 0x69]);
  expect([...websocketClose(4408, 'no')]).toEqual([0x88, 4, 0x11, 0x38, 0x6e, 0x6f]);
});
