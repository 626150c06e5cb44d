import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LiveClient } from '../support/live-client.ts';
import { clientFrame, RawSocket, upgradeRequest } from '../support/raw-socket.ts';
import { type CreatedPoll, startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 150);

/** Fills up whatever frame was begun, and is no frame itself. */
const SURELY_WRONG = Buffer.alloc(4_200);
const OPCODE_CLOSE = 8;
/** Less than the shortest time limit of a request, which would end what nothing answers. */
const ANSWERED_MS = 9_000;

/** Invalid bytes. A valid connection to the same poll must not be affected. */
describe('garbage on the wire', () => {
  let relay: TestRelay;
  let poll: CreatedPoll;
  let neighbor: LiveClient;
  beforeAll(async () => {
    relay = await startTestRelay();
    poll = await relay.create();
    neighbor = await LiveClient.open(`${relay.wsUrl}/api/poll/${poll.id}/live`);
    await neighbor.results(0);
  });
  afterAll(async () => {
    neighbor.close();
    await relay.close();
  });

  const expectUndisturbed = async () => {
    await relay.cast(poll.id);
    const { total_votes } = await relay.read(poll.id);
    await neighbor.results(total_votes);
    expect(neighbor.closed).toBeUndefined();
  };
  const paths = () => [`/api/poll/${poll.id}/live`, '/api/live'];

  it('random bytes on a WebSocket close it with a valid code', async () => {
    const anyFrame = fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 0, max: 255 }));
    const codes = new Set<number>();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ minLength: 1, maxLength: 300 }).map(bytes => Buffer.from(bytes)),
          anyFrame.map(([payload, first]) => clientFrame(payload, first)),
          fc
            .array(anyFrame, { maxLength: 6 })
            .map(frames => Buffer.concat(frames.map(([payload, first]) => clientFrame(payload, first)))),
        ),
        fc.nat(1),
        async (bytes, which) => {
          const raw = await RawSocket.upgrade(relay.url, paths()[which] as string);
          raw.send(bytes);
          raw.send(SURELY_WRONG);
          const closing = () => raw.frames().find(({ opcode }) => opcode === OPCODE_CLOSE);
          await until(() => closing() !== undefined, 'a close frame', ANSWERED_MS);
          const { payload } = closing() as { payload: Buffer };
          codes.add(payload.readUInt16BE(0));
          raw.close();
        },
      ),
      { numRuns: RUNS },
    );
    expect(codes).toContain(1002);
    expect([...codes].filter(code => !mayBeSent(code))).toEqual([]);
    await expectUndisturbed();
  });

  it('random JSON on the multiplexed socket ends it with 4400, or is understood', async () => {
    const nearly = fc.record(
      {
        type: fc.constantFrom('subscribe', 'unsubscribe', 'follow'),
        id: fc.jsonValue(),
        key: fc.jsonValue(),
        since: fc.jsonValue(),
        show: fc.jsonValue(),
      },
      { requiredKeys: ['type'] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.json(),
          nearly.map(value => JSON.stringify(value)),
          fc.string(),
        ),
        async text => {
          const live = await LiveClient.open(`${relay.wsUrl}/api/live`);
          live.send(text);
          live.send({ type: 'subscribe', id: poll.id });
          await live.until(() => live.closed !== undefined || live.of('results').length > 0, 'an answer');
          if (live.closed) expect(live.closed).toEqual({ code: 4400, reason: 'bad message' });
          live.close();
        },
      ),
      { numRuns: RUNS },
    );
    await expectUndisturbed();
  });

  it('random bytes on the port are answered as HTTP, or not at all', async () => {
    const lines = fc.array(
      fc.constantFrom(
        'GET / HTTP/1.1',
        'POST /api/poll HTTP/1.1',
        'Host: x',
        'Content-Length: -1',
        'Transfer-Encoding: chunked',
        'Upgrade: h2c',
        'Connection: Upgrade',
        '',
        'zzz',
        '0',
      ),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ minLength: 1, maxLength: 500 }).map(bytes => Buffer.from(bytes)),
          lines.map(all => Buffer.from(`${all.join('\r\n')}\r\n\r\n`)),
        ),
        async bytes => {
          const raw = await RawSocket.open(relay.url);
          raw.send(bytes);
          raw.socket.end();
          await until(() => raw.closed, 'the relay to hang up', ANSWERED_MS);
          if (raw.received.length > 0) expect(raw.text).toMatch(/^HTTP\/1\.1 [2-4]\d\d /);
        },
      ),
      { numRuns: RUNS },
    );
    await expectUndisturbed();
  });

  it('a handshake that is reset at any point leaves nothing behind', async () => {
    const request = upgradeRequest(`/api/poll/${poll.id}/live`);
    for (let run = 0; run < RUNS; run += 1) {
      const raw = await RawSocket.open(relay.url);
      raw.send(request.slice(0, 1 + ((run * 7) % request.length)));
      if (run % 3 === 0) await new Promise(setImmediate);
      raw.reset();
    }
    await expectUndisturbed();
  });

  it('an invalid handshake is rejected in JSON', async () => {
    const faulty = [
      ['Sec-WebSocket-Key: short'],
      ['Sec-WebSocket-Version: 7'],
      ['Sec-WebSocket-Protocol: ,,'],
    ];
    for (const [header = ''] of faulty) {
      const name = header.slice(0, header.indexOf(':'));
      const lines = upgradeRequest(`/api/poll/${poll.id}/live`)
        .split('\r\n')
        .filter(line => !line.startsWith(name));
      const raw = await RawSocket.open(relay.url);
      raw.send([lines[0], header, ...lines.slice(1)].join('\r\n'));
      await until(() => raw.closed, 'the refusal');
      expect(raw.text).toMatch(/^HTTP\/1\.1 400 /);
      expect(JSON.parse(raw.text.split('\r\n\r\n')[1] ?? '').error.code).toBe('invalid_request');
    }
    await expectUndisturbed();
  });

  it('an upgrade where nothing can be upgraded is answered like any request, and hung up on', async () => {
    const answers = {
      [`/api/poll/${poll.id}`]: 200,
      '/api/poll': 401,
      '/api/show': 405,
      '/nowhere': 404,
      '/health': 200,
    };
    await Promise.all(
      Object.entries(answers).map(async ([path, status]) => {
        const raw = await RawSocket.open(relay.url);
        raw.send(upgradeRequest(path));
        await until(() => raw.closed, 'the relay to hang up');
        expect(raw.text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      }),
    );
    await expectUndisturbed();
  });
});

/** Ours, or the client's own that is answered with the same. */
function mayBeSent(code: number): boolean {
  return (
    (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)
  );
}
