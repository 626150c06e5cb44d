import { findFreePort } from '../../support/free-port.ts';
import type { ControlCalls } from '../control/control-calls.ts';
import { end, startWorker } from '../system/children.ts';
import type { Contender, RunningContender } from './contender.ts';
import { FIRST_VERSION, sampleResults } from './sample-results.ts';

/** A plain `ws` server that sends in a loop. */
export const wsBroadcast: Contender = {
  name: 'ws loop',
  findObstacle: () => undefined,
  start: startControl,
};

async function startControl(): Promise<RunningContender> {
  const port = await findFreePort();
  const launch = async () => {
    const started = startWorker<ControlCalls>('ws-server');
    await started.call('listen', { port });
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
    dial: { port, path: '/' },
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
