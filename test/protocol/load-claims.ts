import type { Socket } from 'node:net';
import { expect, it, type TestContext } from 'vitest';
import type { LiveClient } from '../support/live-client.ts';
import { clientFrame, RawSocket } from '../support/raw-socket.ts';
import { until } from '../support/until.ts';
import { waitingBytes } from '../support/waiting-bytes.ts';
import { keepCasting } from './moves.ts';
import type { Subject } from './target.ts';

/** The promises that take all of the machine: after the others, judged by counts and by controls of the same moment. */
export function loadClaims(subject: Subject): void {
  it('P38 Conflated: at most hz results a second, the first change at once, the last one always', async () => {
    const { id } = await subject.create();
    const rates = [1, 4, 10, 20];
    const openedAt = performance.now();
    const clients = await Promise.all(rates.map(hz => subject.poll(id, `?hz=${hz}`)));
    await Promise.all(clients.map(client => client.results(0)));
    const busy = keepCasting(subject, id);
    await until(() => (clients[0] as LiveClient).of('results').length >= 3, 'two seconds of ballots');
    const total = await busy.stop();
    for (const [index, client] of clients.entries()) {
      await client.results(total);
      // Over all of it and not within each second, and from before the first was asked for: when a
      // message arrives is not the relay's alone, but it was sent within this time.
      const times = client.times.filter((_, at) => client.messages[at]?.type === 'results');
      const seconds = ((times.at(-1) as number) - openedAt) / 1_000;
      expect(times.length).toBeLessThanOrEqual(seconds * (rates[index] as number) + 1);
    }
  });

  it('P38 Conflated: the first change after a quiet period is sent at once', async () => {
    const { id } = await subject.create();
    // The control: a subscriber at 20 Hz gets the change at once.
    const [live, control] = [await subject.poll(id, '?hz=1'), await subject.poll(id, '?hz=20')];
    await Promise.all([live.results(0), control.results(0)]);
    const delays = [];
    for (let total = 1; total <= 3; total += 1) {
      const quietSince = live.times.at(-1) as number;
      await until(() => performance.now() - quietSince > 1_100, 'a quiet second');
      await subject.cast(id);
      await Promise.all([live.results(total), control.results(total)]);
      delays.push((live.times.at(-1) as number) - (control.times.at(-1) as number));
    }
    // One that ticks once a second would take nearly all of it: the change comes just after a tick.
    expect(delays.sort((a, b) => a - b)[1]).toBeLessThan(500);
  });

  it('P40 Fair: a subscriber that does not read delays no other, costs one frame, and gets the newest results in the end', context =>
    readFairly(subject, context));
}

/** As large as results get, so that the buffers of two kernels are full within a few seconds. */
const FAT = {
  title: '😀'.repeat(300),
  answers: Array.from({ length: 100 }, (_, index) => `${index} ${'😀'.repeat(196)}`),
};
const FAT_POLLS = 10;
/** Enough votes that nothing of the last frame can have been in a buffer. */
const QUIET_ROUNDS = 3;

export async function readFairly(subject: Subject, context: TestContext): Promise<void> {
  const { relay, subject: alone } = await subject.alone(context);
  const serverSide: Socket[] = [];
  relay.app.server.on('connection', socket => serverSide.push(socket));
  const polls = await Promise.all(Array.from({ length: FAT_POLLS }, () => alone.create(FAT)));
  const ids = polls.map(({ id }) => id);
  const frameBytes = Buffer.byteLength(JSON.stringify(await relay.read(ids[0] as string))) + 200;

  serverSide.length = 0;
  const slow = await RawSocket.upgrade(relay.url, '/api/live?hz=20');
  const [socket] = serverSide as [Socket];
  for (const id of ids) slow.send(clientFrame(JSON.stringify({ type: 'subscribe', id })));
  await until(() => slow.frames().length === FAT_POLLS, 'the first messages');
  slow.stopReading();

  const castAll = () => Promise.all(ids.map(id => subject.cast(id)));
  let rounds = 0;
  let most = 0;
  while (waitingBytes(socket) === 0) {
    await castAll();
    rounds += 1;
  }
  const neighbor = await alone.poll(ids[0] as string, '?hz=20');
  for (let round = 0; round < QUIET_ROUNDS * 10; round += 1) {
    await castAll();
    rounds += 1;
    await neighbor.results(rounds);
    most = Math.max(most, waitingBytes(socket));
  }
  // What waits in the relay is what was being written when the kernel was full: never a second frame.
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(frameBytes);

  slow.received = Buffer.alloc(0);
  slow.resumeReading();
  const newest = () => ids.every(id => slow.text.includes(`"id":"${id}"`) && lastTotal(slow, id) === rounds);
  await until(newest, 'the newest results of every poll');
  slow.close();
}

/** Read from the raw bytes: what came before the pause begins in the middle of a frame. */
function lastTotal(slow: RawSocket, id: string): number {
  const at = slow.text.lastIndexOf(`{"type":"results","id":"${id}"`);
  return Number(/"total_votes":(\d+)/.exec(slow.text.slice(at))?.[1]);
}
