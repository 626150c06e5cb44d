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
    const port = await findFreePort();
    const child = launch(compile('control', 'bare-send.c'), [`${port}`]);
    if (!(await listens(port, 5_000))) {
      await end(child);
      throw new Error('the bare loop does not listen');
    }
    let version = FIRST_VERSION;
    return {
      dial: { port, path: '/' },
      pids: () => [child.pid ?? 0],
      async publish() {
        version += 1;
        child.stdin?.write(`${sampleResults(version)}\n`);
        return version;
      },
      stop: () => end(child),
    };
  },
};
