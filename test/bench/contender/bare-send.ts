import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../support/free-port.ts';
import { end, findProgram, launch } from '../system/children.ts';
import type { Contender } from './contender.ts';
import { benchFile } from './locations.ts';
import { listens } from './probe.ts';
import { FIRST_VERSION, sampleResults } from './sample-results.ts';

let program: string | undefined;

/** The floor: a loop of `send()` in C. */
export const bareSend: Contender = {
  name: 'bare send()',
  findObstacle: () => (findProgram('cc') ? undefined : 'there is no C compiler here'),
  async start() {
    program ??= compile();
    const port = await findFreePort();
    const child = launch(program, [`${port}`]);
    if (!(await listens(port, 5_000))) throw new Error('the bare loop does not listen');
    let version = FIRST_VERSION;
    return {
      dial: { port, path: '/', tongue: 'plain' },
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

function compile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tallycast-bare-send-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const target = join(folder, 'bare-send');
  execFileSync('cc', ['-O2', '-o', target, benchFile('control', 'bare-send.c')], { stdio: ['ignore', 2, 2] });
  return target;
}
