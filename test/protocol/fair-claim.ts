import type { Socket } from 'node:net';
import { expect, type TestContext } from 'vitest';
import { clientFrame, RawSocket } from '../support/raw-socket.ts';
import { until } from '../support/until.ts';
import { waitingBytes } from '../support/waiting-bytes.ts';
import type { Subject } from './target.ts';

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
  const neighbour = await alone.poll(ids[0] as string, '?hz=20');
  for (let round = 0; round < QUIET_ROUNDS * 10; round += 1) {
    await castAll();
    rounds += 1;
    await neighbour.results(rounds);
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
