import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that the kernel gives to outgoing links, so that a server that is down keeps its port. */
const FIRST_PORT = 12_000;
/** Each test worker has a range of its own: none takes the port that another is about to listen on. */
const RANGE = 500;
const RANGES = 40;

const first = FIRST_PORT + RANGE * (Number(process.env['VITEST_POOL_ID'] ?? 0) % RANGES);
let next = Math.floor(Math.random() * RANGE);

/** A free port of the loopback address, and not one of the last 500 that this process asked for. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    next = (next + 1) % RANGE;
    const port = first + next;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
