import { expect, it } from 'vitest';
import { clientFrame, RawSocket } from '../support/raw-socket.ts';
import { until } from '../support/until.ts';
import type { Subject } from './target.ts';

/** Messages that are none, and what the error says of each. */
const BAD_MESSAGES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['', '{', '{"type":'].map(text => [text, 'The message is not valid JSON.'])),
  ...Object.fromEntries(
    ['null', '[]', '"subscribe"'].map(text => [text, 'A message is a JSON object with a type.']),
  ),
  '{}': 'type must be subscribe, unsubscribe or follow.',
  '{"type":"results"}': 'type must be subscribe, unsubscribe or follow.',
  '{"type":"subscribe"}': 'id must be a string of 1 to 64 characters.',
  '{"type":"subscribe","id":7}': 'id must be a string of 1 to 64 characters.',
  '{"type":"subscribe","id":""}': 'id must be a string of 1 to 64 characters.',
  '{"type":"subscribe","id":"x","since":-1}': 'since must be a position, as a message gave it.',
  '{"type":"subscribe","id":"x","since":"x"}': 'since must be a position, as a message gave it.',
  '{"type":"subscribe","id":"x","key":""}': 'key must be a string of 1 to 512 characters.',
  '{"type":"unsubscribe"}': 'id must be a string of 1 to 64 characters.',
  '{"type":"follow"}': 'show must be a string.',
  '{"type":"follow","show":"No Show"}': 'show must be 3 to 40 of a-z, 0-9 and -, and not begin with -.',
  '{"type":"follow","show":"tv"}': 'show must be 3 to 40 of a-z, 0-9 and -, and not begin with -.',
  '{"type":"follow","show":"-xy"}': 'show must be 3 to 40 of a-z, 0-9 and -, and not begin with -.',
  [`{"type":"follow","show":"${'x'.repeat(41)}"}`]:
    'show must be 3 to 40 of a-z, 0-9 and -, and not begin with -.',
};
/** What a client says of a connection that ended without a close frame. */
const ABNORMAL = 1006;
const OPCODE_PONG = 10;
const OPCODE_CLOSE = 8;

export function limitClaims(subject: Subject): void {
  it('P23: a malformed message gets invalid_request and 4400', async () => {
    for (const [text, message] of Object.entries(BAD_MESSAGES)) {
      const live = await subject.live('/api/live');
      live.send(text);
      expect([text, await live.end()]).toEqual([text, { code: 4400, reason: 'bad message' }]);
      expect(live.messages).toEqual([{ type: 'error', code: 'invalid_request', message }]);
    }
  });

  it('P23: requests before a malformed message are answered first, later ones are ignored', async () => {
    const polls = await Promise.all(Array.from({ length: 20 }, () => subject.create()));
    const live = await subject.live('/api/live');
    for (const { id } of polls) live.send({ type: 'subscribe', id });
    live.send({ type: 'follow', show: 'friday-night' });
    live.send({ type: 'subscribe', id: 'nobodyisHere' });
    live.send({ type: 'subscribe', id: polls[0]?.id, since: true });
    live.send({ type: 'subscribe', id: 'notPlayed012' });
    expect((await live.end()).code).toBe(4400);
    expect(new Set(live.of('results').map(({ id }) => id))).toEqual(new Set(polls.map(({ id }) => id)));
    expect(live.of('show')).toHaveLength(1);
    expect(live.of('error')).toMatchObject([
      { code: 'poll_not_found', id: 'nobodyisHere' },
      { code: 'invalid_request', message: 'since must be a position, as a message gave it.' },
    ]);
    expect(live.last?.type).toBe('error');
  });

  it('P23: any message on a connection of one poll ends it with 4400, a binary one with 1003', async () => {
    const { id } = await subject.create();
    const live = await subject.poll(id);
    await live.results(0);
    live.send({ type: 'subscribe', id });
    expect((await live.end()).code).toBe(4400);
    const binary = await subject.poll(id);
    binary.socket.send(Buffer.from('{}'));
    expect((await binary.end()).code).toBe(1003);
  });

  it('P24: a message of more than 4,096 bytes ends the connection with 1009, in one piece or in several', async () => {
    const fits = JSON.stringify({ type: 'unsubscribe', id: 'x', more: '' });
    const live = await subject.live('/api/live');
    live.send(fits.replace('""', `"${'x'.repeat(4_096 - fits.length)}"`));
    live.send({ type: 'subscribe', id: 'nobodyisHere' });
    await live.message(message => message.type === 'error', 'an answer');
    live.send('x'.repeat(4_097));
    expect(await live.end()).toEqual({ code: 1009, reason: 'message too big' });
    const fragmented = await subject.live('/api/live');
    for (let part = 0; part < 3; part += 1) fragmented.socket.send('x'.repeat(2_000), { fin: false });
    expect((await fragmented.end()).code).toBe(1009);
  });

  it('P25: the 101st poll on a connection is rejected, the first hundred stay', async () => {
    const polls = await Promise.all(Array.from({ length: 101 }, () => subject.create()));
    const live = await subject.live('/api/live');
    for (const { id } of polls) live.send({ type: 'subscribe', id });
    await live.until(() => live.messages.length >= 101, 'all answers');
    expect(live.of('results')).toHaveLength(100);
    expect(live.of('error')).toMatchObject([{ code: 'rate_limited', id: polls[100]?.id }]);
    live.send({ type: 'subscribe', id: polls[0]?.id });
    live.send({ type: 'unsubscribe', id: polls[1]?.id });
    live.send({ type: 'subscribe', id: polls[100]?.id });
    await live.until(() => live.of('results').length === 102, 'the two that fit');
    expect(live.of('error')).toHaveLength(1);
  });

  it('P26: messages beyond the budget close the connection with 4429', async () => {
    const live = await subject.live('/api/live');
    for (let sent = 0; sent < 200; sent += 1) live.send({ type: 'unsubscribe', id: 'x' });
    live.send({ type: 'subscribe', id: 'nobodyisHere' });
    await live.until(() => live.messages.length > 0 || live.closed !== undefined, 'an answer');
    const flood = await subject.live('/api/live');
    for (let sent = 0; sent < 500; sent += 1) flood.send({ type: 'unsubscribe', id: 'x' });
    const end = await flood.end();
    // A proxy may close a connection that keeps sending before it has forwarded the reason.
    if (!subject.isOwn && end.code === ABNORMAL) return;
    expect(end).toEqual({ code: 4429, reason: 'too many' });
    expect(flood.messages).toMatchObject([{ type: 'error', code: 'rate_limited' }]);
  });

  it('P26: pings and pongs count, on a connection of one poll, too', async () => {
    const { id } = await subject.create();
    for (const opcode of [0x89, 0x8a]) {
      const raw = await RawSocket.upgrade(subject.url, `/api/poll/${id}/live`);
      raw.send(Buffer.concat(Array.from({ length: 150 }, () => clientFrame('still there?', opcode))));
      raw.send(clientFrame('the last', 0x89));
      await until(() => raw.frames().some(({ payload }) => payload.toString() === 'the last'), 'the pong');
      raw.send(Buffer.concat(Array.from({ length: 5_000 }, () => clientFrame('flood', opcode))));
      await until(() => raw.frames().some(({ opcode }) => opcode === OPCODE_CLOSE), 'the close');
      const frames = raw.frames();
      expect(frames.at(-1)?.payload.readUInt16BE(0)).toBe(4429);
      expect(frames.at(-2)?.payload.toString()).toContain('rate_limited');
      expect(frames.filter(({ opcode }) => opcode === OPCODE_PONG).length).toBeLessThanOrEqual(300);
      raw.close();
    }
  });

  it('P26: the sixth show closes the connection with 4429, following one of the five again does not', async () => {
    const live = await subject.live('/api/live');
    const names = Array.from({ length: 6 }, (_, index) => `show-${process.pid}-${Date.now()}-${index}`);
    for (const show of [...names.slice(0, 5), ...names.slice(0, 5)]) live.send({ type: 'follow', show });
    await live.until(() => live.of('show').length === 5, 'five shows');
    live.send({ type: 'follow', show: names[5] });
    expect(await live.end()).toEqual({ code: 4429, reason: 'too many' });
    expect(live.messages.at(-1)).toMatchObject({ type: 'error', code: 'rate_limited' });
    expect(live.of('show')).toHaveLength(5);
  });

  it('P27: a connection beyond the limit of its address is rejected until another one closes', async context => {
    const { relay } = await subject.alone(context, { maxConnectionsPerAddress: 2 });
    const { id } = await relay.create();
    const path = `/api/poll/${id}/live`;
    const open = () => RawSocket.upgrade(relay.url, path);
    const isFull = (raw: RawSocket) => raw.frames().some(({ payload }) => payload.includes('rate_limited'));
    const [first, second, third] = [await open(), await open(), await open()];
    await until(() => third.frames().some(({ opcode }) => opcode === OPCODE_CLOSE), 'the refusal');
    expect(third.frames().at(-1)?.payload.readUInt16BE(0)).toBe(4429);
    expect([first, second, third].map(isFull)).toEqual([false, false, true]);
    const refused = await fetch(`${relay.url}${path}`);
    expect([refused.status, (await refused.json()).error.code]).toEqual([429, 'rate_limited']);
    first.close();
    third.close();
    await until(async () => {
      const again = await open();
      await until(() => again.received.length > 0, 'an answer');
      again.close();
      return !isFull(again);
    }, 'room');
    second.close();
  });

  it('P28: a ping is answered with a pong of the same payload', async () => {
    const { id } = await subject.create();
    const raw = await RawSocket.upgrade(subject.url, `/api/poll/${id}/live`);
    raw.send(clientFrame('are you there?', 0x89));
    await until(() => raw.frames().some(({ opcode }) => opcode === OPCODE_PONG), 'the pong');
    expect(
      raw
        .frames()
        .find(({ opcode }) => opcode === OPCODE_PONG)
        ?.payload.toString(),
    ).toBe('are you there?');
    raw.close();
  });

  it('P29: a close carries the code and the reason of the table', async () => {
    // Reserved bit, no mask, unknown opcode, text that is no UTF-8.
    const violations = [
      clientFrame('x', 0xc1),
      Buffer.from([0x81, 0x00]),
      clientFrame('x', 0x83),
      clientFrame(Buffer.from([0xff]), 0x81),
    ];
    const ends = [];
    for (const bytes of violations) {
      const raw = await RawSocket.upgrade(subject.url, '/api/live');
      raw.send(bytes);
      await until(() => raw.frames().some(({ opcode }) => opcode === OPCODE_CLOSE), 'the close');
      const payload = raw.frames().at(-1)?.payload ?? Buffer.alloc(2);
      ends.push([payload.readUInt16BE(0), payload.subarray(2).toString()]);
      raw.close();
    }
    expect(ends).toEqual([1002, 1002, 1002, 1007].map(code => [code, 'protocol error']));
  });

  it('P30: a relay that shuts down closes every WebSocket with 1001 and ends every stream', async context => {
    const { relay } = await subject.alone(context);
    const { id } = await relay.create();
    const open = (path: string) => RawSocket.upgrade(relay.url, path);
    const sockets = [await open(`/api/poll/${id}/live`), await open('/api/live')];
    const stream = await RawSocket.open(relay.url);
    stream.send(`GET /api/poll/${id}/live HTTP/1.1\r\nHost: a\r\n\r\n`);
    await until(() => stream.text.includes('data: '), 'the first event');
    await relay.close();
    for (const raw of sockets) {
      await until(() => raw.closed, 'the end');
      const { opcode, payload } = raw.frames().at(-1) ?? { opcode: 0, payload: Buffer.alloc(2) };
      expect([opcode, payload.readUInt16BE(0), payload.subarray(2).toString()]).toEqual([
        8,
        1001,
        'relay going away',
      ]);
    }
    await until(() => stream.closed, 'the end of the stream');
    expect(stream.text).toMatch(/\n\nretry: [1-5]\d\d\n\n$/);
  });
}
