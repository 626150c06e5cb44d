import type { ChildProcess } from 'node:child_process';
import { findFreePort } from '../../support/free-port.ts';
import { end, launch } from '../system/children.ts';
import { compile, compilerObstacle } from '../system/compile.ts';
import type { Contender } from './contender.ts';
import { listens } from './probe.ts';
import { FIRST_VERSION, sampleResults } from './sample-results.ts';

/** The floor: a loop of `send()` in C. */
export const bareSend: Contender = {
  name: 'bare send()',
  findObstacle: compilerObstacle,
  async start() {
    const { dial, pids, publish, stop } = await startLoops(1);
    const [port = 0] = dial.ports;
    return { dial: { ...dial, port }, pids, publish, stop };
  },
};

/** As many loops as are asked for, each on a port and with descriptors of its own; all send the same. */
export async function startLoops(count: number) {
  const loops: { readonly port: number; readonly child: ChildProcess }[] = [];
  const stop = async () => {
    for (const { child } of loops) await end(child);
  };
  while (loops.length < count) {
    const port = await findFreePort();
    loops.push({ port, child: launch(compile('control', 'bare-send.c'), [`${port}`]) });
    if (await listens(port, 5_000)) continue;
    await stop();
    throw new Error('the bare loop does not listen');
  }
  let version = FIRST_VERSION;
  return {
    dial: { ports: loops.map(({ port }) => port), path: '/', isStream: false },
    pids: () => loops.map(({ child }) => child.pid ?? 0),
    async publish() {
      version += 1;
      for (const { child } of loops) child.stdin?.write(`${sampleResults(version)}\n`);
      return version;
    },
    stop,
  };
}
