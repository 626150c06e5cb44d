import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { launch } from '../system/children.ts';

export const STATIC_SERVER = 'empty Fastify server';

/** Starts the control row of everything that speaks HTTP. It may not listen yet. */
export function launchStaticServer(port: number): ChildProcess {
  const file = fileURLToPath(new URL('./fastify-server.process.mjs', import.meta.url));
  return launch(process.execPath, [file, `${port}`]);
}
