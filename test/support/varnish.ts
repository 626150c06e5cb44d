import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasEnded, kill, logOf, spawnKept } from './child-process.ts';
import { findFreePort } from './free-port.ts';
import { programPath } from './programs.ts';
import { until } from './until.ts';

export interface Varnish {
  readonly url: string;
  stop(): Promise<void>;
}

const START_MS = 30_000;
/** It loads what it compiles there, which a file system in memory may forbid. */
const FOLDER = '/tmp';

/** A Varnish with the rules that it is built with and none of its own: what a cache does that knows nothing of us. */
export async function startVarnish(backend: string): Promise<Varnish> {
  const program = programPath('varnishd');
  const folder = await mkdtemp(join(FOLDER, 'tallycast-varnish-'));
  const address = `127.0.0.1:${await findFreePort()}`;
  const child = spawnKept(program, [
    '-F',
    '-j',
    'none',
    '-n',
    folder,
    '-a',
    address,
    '-b',
    backend,
    '-s',
    'malloc,16m',
  ]);
  const url = `http://${address}`;
  const answers = () =>
    fetch(`${url}/livez`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(async () => hasEnded(child) || (await answers()), 'Varnish to listen', START_MS);
  if (hasEnded(child)) throw new Error(`Varnish has ended: ${logOf(child)}`);
  return {
    url,
    async stop() {
      await kill(child, 'SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
