import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { readParts, readWhole } from '../../src/http/read-parts.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('ends with its signal, also after a garbage collection', async () => {
  const server = createServer((_, reply) => {
    const dripping = setInterval(() => reply.write(' '), 10);
    reply.on('close', () => clearInterval(dripping));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ending = new AbortController();
  const read = async (signal: AbortSignal) => {
    const reply = await fetch(`http://127.0.0.1:${port}/`, { redirect: 'error', signal });
    for await (const _ of readParts(reply, signal));
  };
  const reading = read(ending.signal);
  let collections = 0;
  const collecting = setInterval(() => {
    collectGarbage();
    collections += 1;
    if (collections === 5) ending.abort();
  }, 20);
  await expect(reading).rejects.toThrow('aborted');
  clearInterval(collecting);
  await new Promise(closed => server.close(closed));
});

it('reads a whole reply up to its bound, and ends a longer one', async () => {
  const signal = new AbortController().signal;
  expect((await readWhole(new Response('12345'), signal, 5)).toString()).toBe('12345');
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: controller => controller.enqueue(new Uint8Array(1_000)),
    cancel() {
      cancelled = true;
    },
  });
  await expect(readWhole(new Response(endless), signal, 4_096)).rejects.toThrow('more than 4096 bytes');
  expect(cancelled).toBe(true);
});
