import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FrameListener, FrameReader } from '../../src/live/websocket-frame.ts';
import { clientFrame } from '../support/raw-socket.ts';

/** What was heard, in order. */
function read(chunks: readonly Uint8Array[]): string[] {
  const heard: string[] = [];
  const listener: FrameListener = {
    onText: text => heard.push(`text ${text}`),
    onPing: payload => heard.push(`ping ${payload}`),
    onPong: () => heard.push('pong'),
    onCloseFrame: code => heard.push(`close ${code}`),
    onViolation: code => heard.push(`violation ${code}`),
  };
  const reader = new FrameReader();
  for (const chunk of chunks) reader.read(Buffer.from(chunk), listener);
  return heard;
}

const close = (code: number, reason = '') =>
  clientFrame(Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]), 0x88);

describe('a frame reader', () => {
  it('hears the same however the bytes are cut into chunks', () => {
    const frames = fc.oneof(
      fc
        .string({ unit: 'grapheme', maxLength: 300 })
        .map(text => ({ bytes: clientFrame(text), heard: [`text ${text}`] })),
      fc.string({ maxLength: 20 }).map(text => ({ bytes: clientFrame(text, 0x89), heard: [`ping ${text}`] })),
      fc.constant({ bytes: clientFrame('', 0x8a), heard: ['pong'] }),
    );
    fc.assert(
      fc.property(
        fc.array(frames, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(400), { maxLength: 8 }),
        (all, cuts) => {
          const bytes = Buffer.concat(all.map(frame => frame.bytes));
          const places = [0, ...cuts.map(cut => cut % bytes.length).sort((a, b) => a - b), bytes.length];
          const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
          expect(read(chunks)).toEqual(all.flatMap(frame => frame.heard));
        },
      ),
    );
  });

  it('puts fragments together, with control frames between them', () => {
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
    ['an opcode that nobody has defined', clientFrame('x', 0x83), 1002],
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
  ])('refuses %s', (_, bytes, code) => {
    expect(read([bytes])).toEqual([`violation ${code}`]);
  });

  it('refuses a message of too many or too large fragments', () => {
    const many = [clientFrame('x', 0x01), ...Array.from({ length: 16 }, () => clientFrame('x', 0x00))];
    expect(read(many)).toEqual(['violation 1009']);
    expect(read([clientFrame('x'.repeat(4_000), 0x01), clientFrame('x'.repeat(97), 0x80)])).toEqual([
      'violation 1009',
    ]);
    expect(read([clientFrame('x', 0x01), clientFrame('y', 0x81)])).toEqual(['violation 1002']);
  });

  it('hears nothing after a close', () => {
    expect(read([Buffer.concat([close(1000, 'bye'), clientFrame('more')])])).toEqual(['close 1000']);
    expect(read([clientFrame('', 0x88)])).toEqual(['close 1005']);
  });
});
