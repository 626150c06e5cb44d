import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { websocketText } from '../../src/live/frame.ts';
import {
  type FrameListener,
  FrameReader,
  MessageBudget,
  PING,
  websocketClose,
  websocketControl,
} from '../../src/live/websocket-connection.ts';
import { clientFrame } from '../support/raw-socket.ts';

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

it('lengths are in bytes, not in characters', () => {
  const frame = websocketText('é'.repeat(63));
  expect([...frame.subarray(0, 4)]).toEqual([0x81, 126, 0, 126]);
  expect(frame.subarray(4).toString()).toBe('é'.repeat(63));
});

it('control frames carry their payload, and a close its code before the reason', () => {
  expect([...websocketControl(PING, Buffer.from('hi'))]).toEqual([0x89, 2, 0x68, 0x69]);
  expect([...websocketClose(4408, 'no')]).toEqual([0x88, 4, 0x11, 0x38, 0x6e, 0x6f]);
});

/** Returns the calls of the listener in order. */
function read(chunks: readonly Uint8Array[]): string[] {
  const calls: string[] = [];
  const listener: FrameListener = {
    onText: text => calls.push(`text ${text}`),
    onPing: payload => calls.push(`ping ${payload}`),
    onPong: () => calls.push('pong'),
    onCloseFrame: code => calls.push(`close ${code}`),
    onViolation: code => calls.push(`violation ${code}`),
  };
  const reader = new FrameReader();
  for (const chunk of chunks) reader.read(Buffer.from(chunk), listener);
  return calls;
}

const close = (code: number, reason = '') =>
  clientFrame(Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]), 0x88);

describe('a frame reader', () => {
  it('reads the same messages for any chunks', () => {
    const frames = fc.oneof(
      fc
        .string({ unit: 'grapheme', maxLength: 300 })
        .map(text => ({ bytes: clientFrame(text), calls: [`text ${text}`] })),
      fc.string({ maxLength: 20 }).map(text => ({ bytes: clientFrame(text, 0x89), calls: [`ping ${text}`] })),
      fc.constant({ bytes: clientFrame('', 0x8a), calls: ['pong'] }),
    );
    fc.assert(
      fc.property(
        fc.array(frames, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(400), { maxLength: 8 }),
        (all, cuts) => {
          const bytes = Buffer.concat(all.map(frame => frame.bytes));
          const places = [0, ...cuts.map(cut => cut % bytes.length).sort((a, b) => a - b), bytes.length];
          const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
          expect(read(chunks)).toEqual(all.flatMap(frame => frame.calls));
        },
      ),
    );
  });

  it('joins fragments with control frames between them', () => {
    const chunks = [
      clientFrame('one ', 0x01),
      clientFrame('!', 0x89),
      clientFrame('two ', 0x00),
      clientFrame('three', 0x80),
    ];
    expect(read(chunks)).toEqual(['ping !', 'text one two three']);
    const split = Buffer.from('é');
    expect(read([clientFrame(split.subarray(0, 1), 0x01), clientFrame(split.subarray(1), 0x80)])).toEqual([
      'text é',
    ]);
  });

  it.each([
    ['a reserved bit', clientFrame('x', 0xc1), 1002],
    ['no mask', Buffer.from([0x81, 0x01, 0x78]), 1002],
    ['an undefined opcode', clientFrame('x', 0x83), 1002],
    ['a continuation of nothing', clientFrame('x', 0x80), 1002],
    ['a control frame in fragments', clientFrame('x', 0x09), 1002],
    ['a control frame of more than 125 bytes', clientFrame('x'.repeat(126), 0x89), 1002],
    ['a close with half a code', clientFrame('x', 0x88), 1002],
    ['a close with a code that may not be sent', close(1005), 1002],
    ['a close with a code below all', close(999), 1002],
    ['binary data', clientFrame('x', 0x82), 1003],
    ['text that is no UTF-8', clientFrame(Buffer.from([0xc3, 0x28]), 0x81), 1007],
    ['a reason that is no UTF-8', Buffer.from(clientFrame(Buffer.from([3, 232, 255]), 0x88)), 1007],
    ['a text of 4,097 bytes', clientFrame('x'.repeat(4_097)), 1009],
    ['a length of 64 bits', Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0, 0, 1]), 1009],
  ])('rejects %s', (_, bytes, code) => {
    expect(read([bytes])).toEqual([`violation ${code}`]);
  });

  it('rejects a message of too many or too large fragments', () => {
    const many = [clientFrame('x', 0x01), ...Array.from({ length: 16 }, () => clientFrame('x', 0x00))];
    expect(read(many)).toEqual(['violation 1009']);
    expect(read([clientFrame('x'.repeat(4_000), 0x01), clientFrame('x'.repeat(97), 0x80)])).toEqual([
      'violation 1009',
    ]);
    expect(read([clientFrame('x', 0x01), clientFrame('y', 0x81)])).toEqual(['violation 1002']);
  });

  it('ignores bytes after a close', () => {
    expect(read([Buffer.concat([close(1000, 'bye'), clientFrame('more')])])).toEqual(['close 1000']);
    expect(read([clientFrame('', 0x88)])).toEqual(['close 1005']);
  });
});

function spend(budget: MessageBudget, times: number, nowMs: number): number {
  let granted = 0;
  for (let time = 0; time < times; time += 1) if (budget.spend(nowMs)) granted += 1;
  return granted;
}

it('grants 200 messages at once, then ten a second', () => {
  const budget = new MessageBudget(0);
  expect(spend(budget, 300, 0)).toBe(200);
  expect(spend(budget, 10, 99)).toBe(0);
  expect(spend(budget, 10, 100)).toBe(1);
  expect(spend(budget, 100, 1_100)).toBe(10);
});

it('accumulates 200 at most, without rounding errors', () => {
  const budget = new MessageBudget(0);
  expect(spend(budget, 300, 3_600_000)).toBe(200);
  let granted = 0;
  for (let nowMs = 3_600_000; nowMs < 3_610_000; nowMs += 30) granted += spend(budget, 1, nowMs);
  expect(granted).toBeGreaterThanOrEqual(99);
  expect(granted).toBeLessThanOrEqual(100);
});
