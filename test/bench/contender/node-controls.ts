import { findFreePort } from '../../support/free-port.ts';
import type { ControlCalls } from '../control/control-calls.ts';
import type { Dial } from '../load/dial.ts';
import { end, startWorker } from '../system/children.ts';
import type { Contender, RunningContender } from './contender.ts';
import { findPeer } from './locations.ts';
import { FIRST_VERSION, sampleResults } from './sample-results.ts';

/** A plain `ws` server that sends in a loop. */
export const wsBroadcast: Contender = {
  name: 'ws loop',
  findObstacle: () => undefined,
  start: () => startControl('ws-server', { path: '/', tongue: 'plain' }, ''),
};

/** `@fastify/websocket` and a route of one line. */
export const fastifyWebsocket: Contender = {
  name: 'bare @fastify/websocket',
  findObstacle: () => undefined,
  start: () => startControl('fastify-websocket-server', { path: '/', tongue: 'plain' }, ''),
};

export const socketIo: Contender = {
  name: 'Socket.IO',
  findObstacle: () =>
    findPeer('socket.io')
      ? undefined
      : 'socket.io is not installed (BENCH_PEERS may name a folder that has it)',
  start: () =>
    startControl(
      'socket-io-server',
      { path: '/socket.io/?EIO=4&transport=websocket', tongue: 'socket-io' },
      findPeer('socket.io') ?? '',
    ),
};

async function startControl(
  name: string,
  dial: Pick<Dial, 'path' | 'tongue'>,
  peer: string,
): Promise<RunningContender> {
  const port = await findFreePort();
  const launch = async () => {
    const started = startWorker<ControlCalls>(name);
    await started.call('listen', { port, peer });
    return started;
  };
  let worker = await launch();
  let version = FIRST_VERSION;
  const publish = async () => {
    version += 1;
    const published = version;
    await worker.call('publish', { text: sampleResults(published) });
    return published;
  };
  return {
    dial: { port, ...dial },
    pids: () => [worker.pid],
    publish,
    async restart() {
      await end(worker.child);
      worker = await launch();
      return publish();
    },
    stop: () => end(worker.child),
  };
}
