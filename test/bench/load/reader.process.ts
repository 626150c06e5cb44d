import { serveCalls } from '../system/calls.ts';
import { monotonicMs, paced } from '../system/clock.ts';
import { HttpSocket } from './http-socket.ts';

/** A process that reads results over HTTP. */

interface ReadOrder {
  readonly port: number;
  readonly paths: readonly string[];
  readonly connections: number;
  readonly ms: number;
  /** Without it: as fast as it goes. */
  readonly perSecond?: number;
}

const calls = {
  async read({ port, paths, connections, ms, perSecond }: ReadOrder) {
    const sockets = Array.from({ length: connections }, () => new HttpSocket(port));
    const times: number[] = [];
    let failures = 0;
    let asked = 0;
    const get = async (socket: HttpSocket) => {
      const start = monotonicMs();
      asked += 1;
      if (await socket.get(paths[asked % paths.length]!)) times.push(monotonicMs() - start);
      else failures += 1;
    };
    const start = monotonicMs();
    if (perSecond === undefined)
      await Promise.all(
        sockets.map(async socket => {
          while (monotonicMs() < start + ms) await get(socket);
        }),
      );
    else {
      // Each at its moment, on the connection that has been free for longest: a slow reply delays no other.
      const free = [...sockets];
      const pending: Promise<unknown>[] = [];
      await paced(perSecond, ms, () => {
        const socket = free.shift();
        if (!socket) failures += 1;
        else pending.push(get(socket).then(() => free.push(socket)));
      });
      await Promise.all(pending);
    }
    const tookMs = monotonicMs() - start;
    for (const socket of sockets) socket.close();
    return { ms: tookMs, failures, latencies: Float32Array.from(times).sort() };
  },
};

export type ReaderCalls = typeof calls;
serveCalls(calls);
