// @module-tag redis-server
import { describe, expect, it } from 'vitest';
import { LiveClient } from '../support/live-client.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { redisRig } from '../support/redis-rig.ts';
import { createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { startProgram } from './program.ts';

const CLIENTS = 40;
/** They never answer a close, so that each worker drains for two seconds. */
const SILENT = 4;
const rig = redisRig('test');

/** Two workers as a terminal starts them: in a process group of their own. */
async function startWorkers(settings: Record<string, string> = {}, preload?: string) {
  const { url } = await rig.start();
  const options = { detached: true, ...(preload && { preload }) };
  const program = await startProgram({ WORKERS: '2', ROLE: 'relay', REDIS_URL: url, ...settings }, options);
  const pid = program.child.pid as number;
  rig.closeAfter(() => isAlive(pid) && process.kill(-pid, 'SIGKILL'));
  return { program, pid };
}

/** Whether a process of the group is left. */
function isAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

async function watch(url: string): Promise<LiveClient[]> {
  const { id } = await createPoll(url);
  const live = `${url.replace('http', 'ws')}/api/poll/${id}/live`;
  const clients = Array.from({ length: CLIENTS }, () => new LiveClient(live));
  await Promise.all(clients.map(client => client.results(0)));
  for (let n = 0; n < SILENT; n += 1) await RawSocket.upgrade(url, `/api/poll/${id}/live`);
  return clients;
}

describe('workers', { timeout: 150_000 }, () => {
  it.each([
    ['SIGINT to the whole group, as Ctrl-C sends it', 'SIGINT', true],
    ['SIGTERM to the whole group', 'SIGTERM', true],
    ['SIGTERM to their supervisor', 'SIGTERM', false],
  ] as const)(
    'close every connection with 1001 after %s, and the exit code is 0',
    async (_, signal, isGroup) => {
      const { program, pid } = await startWorkers();
      await program.running();
      const clients = await watch(program.url);
      process.kill(isGroup ? -pid : pid, signal);
      const ends = await Promise.all(clients.map(client => client.end()));
      // Each worker is stopped twice, by the group and by its supervisor, while it drains.
      if (isGroup) process.kill(-pid, signal);
      expect(new Set(ends.map(({ code }) => code))).toEqual(new Set([1001]));
      expect(await program.ended()).toBe(0);
      expect(program.log).not.toContain('second SIG');
      await until(() => !isAlive(pid), 'the end of every process');
    },
  );

  it('all exit, with exit code 1, if one of them fails to start', async () => {
    const preload = `import cluster from 'node:cluster';
      if (cluster.worker?.id === 2) { process.stderr.write('worker 2 fails\\n'); process.exit(3); }`;
    const { program, pid } = await startWorkers({}, preload);
    expect(await program.ended()).toBe(1);
    expect(program.log).toContain('A worker exited before it was ready');
    expect(program.log).not.toContain('server listening');
    await until(() => !isAlive(pid), 'the end of every process');
  });

  it('that fail for the same reason log it once', async () => {
    const { program } = await startWorkers({ HOST: '192.0.2.1' });
    expect(await program.ended()).toBe(1);
    expect(program.log.match(/this machine has no such address/g)).toHaveLength(1);
  });

  it('are replaced when they die while others start', async () => {
    // The second one waits for the end of the first.
    const preload = `import cluster from 'node:cluster';
      const first = () => Object.values(cluster.workers)[0];
      cluster.on?.('online', worker => {
        process.stderr.write('online ' + worker.process.pid + '\\n');
        if (worker.id !== 2) return;
        first().once('exit', () => worker.send('begin'));
        first().process.kill('SIGKILL');
      });
      if (cluster.worker?.id === 2) await new Promise(done => process.once('message', done));`;
    const { program } = await startWorkers({}, preload);
    await program.running();
    await until(() => program.log.includes('worker restarted'), 'the third worker');
    expect([...program.log.matchAll(/online \d+/g)]).toHaveLength(3);
    expect(program.log.match(/worker exited/g)).toHaveLength(1);
    process.kill(program.child.pid as number, 'SIGTERM');
    expect(await program.ended()).toBe(0);
  });

  it('are replaced when they die', async () => {
    const preload = `import cluster from 'node:cluster';
      cluster.worker?.process.on('SIGUSR2', () => process.exit(9));
      cluster.on?.('online', worker => process.stderr.write('online ' + worker.process.pid + '\\n'));`;
    const { program } = await startWorkers({ ROLE: 'all' }, preload);
    await program.running();
    const pids = () => [...program.log.matchAll(/online (\d+)/g)].map(([, pid]) => Number(pid));
    expect(pids()).toHaveLength(2);
    process.kill(pids()[0] as number, 'SIGKILL');
    await until(() => pids().length === 3, 'the third worker', 10_000);
    expect(program.log).toContain('worker exited');
    for (const url of [program.url, program.voteUrl]) expect((await fetch(`${url}/livez`)).status).toBe(200);
    process.kill(program.child.pid as number, 'SIGTERM');
    expect(await program.ended()).toBe(0);
  });
});
