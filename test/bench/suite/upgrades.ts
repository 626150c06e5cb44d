import { OURS } from '../contender/contenders.ts';
import { fastifyWebsocket, wsBroadcast } from '../contender/node-controls.ts';
import { tallycast } from '../contender/tallycast.ts';
import { Audience } from '../load/audience.ts';
import { pause } from '../system/clock.ts';
import { cpuMs } from '../system/usage.ts';
import { type Bench, forEach, grouped, row } from './bench.ts';

const PATIENCE_MS = 20_000;
const SETTLE_MS = 500;

export const upgrades: Bench = {
  name: 'upgrades',
  title: 'Upgrades: from the connection to the first frame',
  control: fastifyWebsocket.name,
  targets: [
    {
      contender: OURS,
      metric: 'CPU each',
      text: 'at most 1.2 × bare @fastify/websocket',
      isMet: ({ ratio }) => ratio <= 1.2,
    },
  ],
  run(context) {
    // The first ones are served by code that is not compiled yet, everywhere.
    const [early, size] = context.quick ? [200, 300] : [2_000, 7_500];
    const ours = context.contenders.filter(({ name }) => name === tallycast.name);
    const contenders = [...ours, fastifyWebsocket, wsBroadcast];
    return forEach({ ...context, contenders }, async ({ name }, running) => {
      const audience = new Audience(running.dial, early + size);
      try {
        const version = await running.publish();
        await admit(audience, early, { version, inAll: early });
        const pids = running.pids();
        const before = cpuMs(pids);
        const ms = await admit(audience, size, { version, inAll: early + size });
        const cpu = cpuMs(pids) - before;
        return row(`${grouped(size)} subscribers`, name, [
          ['CPU each', 'µs', (cpu * 1_000) / size],
          ['upgrades', '/s', size / (ms / 1_000)],
        ]);
      } finally {
        await audience.leave();
      }
    });
  },
};

/** @returns milliseconds until all were upgraded; resolves once all of them have the first frame, too */
async function admit(audience: Audience, count: number, expected: { version: number; inAll: number }) {
  const ms = await audience.open(count);
  if ((await audience.reach(expected.version, expected.inAll, PATIENCE_MS)) === undefined)
    throw new Error('not everyone has the first frame');
  await pause(SETTLE_MS);
  return ms;
}
