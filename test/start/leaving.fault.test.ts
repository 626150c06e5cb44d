import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LiveClient } from '../support/live-client.ts';
import { RawSocket, upgradeRequest } from '../support/raw-socket.ts';
import { builtFile } from '../support/relay-process.ts';
import { createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { type Program, startProgram } from './program.ts';

const CLIENTS = 20;
const OPCODE_CLOSE = 8;

async function watch(program: Program): Promise<{ id: string; clients: LiveClient[] }> {
  const { id } = await createPoll(program.url);
  const url = `${program.url.replace('http', 'ws')}/api/poll/${id}/live`;
  const clients = Array.from({ length: CLIENTS }, () => new LiveClient(url));
  await Promise.all(clients.map(client => client.results(0)));
  return { id, clients };
}

async function codes(clients: readonly LiveClient[]): Promise<Set<number>> {
  return new Set((await Promise.all(clients.map(client => client.end()))).map(({ code }) => code));
}

describe("the image's command", () => {
  it('exits with 0 on SIGTERM and closes every connection with 1001, even during an upgrade', async () => {
    const dockerfile = await readFile(new URL('../../Dockerfile', import.meta.url), 'utf8');
    const [node, ...args] = JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]') as string[];
    expect(node).toBe('node');
    const root = fileURLToPath(new URL('../../', import.meta.url));
    const command = [process.execPath, ...args.map(arg => (arg.startsWith('dist/') ? `${root}${arg}` : arg))];
    const program = await startProgram({}, { command });
    await program.running();
    const { id, clients } = await watch(program);
    const upgrading = await RawSocket.open(program.url);
    upgrading.send(upgradeRequest(`/api/poll/${id}/live`).slice(0, -2));

    program.child.kill('SIGTERM');
    expect(await codes(clients)).toEqual(new Set([1001]));
    expect(await program.ended()).toBe(0);
    upgrading.close();
  });
});

describe('the program', () => {
  it('continues to drain if the same signal arrives twice, as Ctrl-C in a terminal may', async () => {
    const program = await startProgram();
    await program.running();
    const { id, clients } = await watch(program);
    // It never answers, so the drain takes two seconds.
    const silent = await RawSocket.upgrade(program.url, `/api/poll/${id}/live`);
    program.child.kill('SIGINT');
    await until(() => silent.frames().some(({ opcode }) => opcode === OPCODE_CLOSE), 'the close');
    program.child.kill('SIGINT');
    expect(await codes(clients)).toEqual(new Set([1001]));
    expect(await program.ended()).toBe(0);
  });

  it('is killed by a signal after two seconds, also where an exit would wait for ever', async () => {
    const preload = `
      import { Server } from 'node:http';
      Server.prototype.close = () => {};
      process.exit = () => {};`;
    const program = await startProgram({}, { preload });
    await program.running();
    const signals = setInterval(() => program.child.kill('SIGTERM'), 100);
    onTestFinished(() => clearInterval(signals));
    expect(await program.ended()).toBeNull();
    expect(program.log).not.toContain('shutdown timed out');
  });

  it.each(['new Error("a fault")', 'undefined'])(
    'drains and exits with 1 after an unhandled rejection with %s',
    async reason => {
      const preload = `process.on('SIGUSR1', () => void Promise.reject(${reason}));`;
      const program = await startProgram({}, { preload });
      await program.running();
      const { clients } = await watch(program);
      program.child.kill('SIGUSR1');
      expect(await codes(clients)).toEqual(new Set([1001]));
      expect(await program.ended()).toBe(1);
      expect(program.log).toContain('uncaught error, shutting down');
    },
  );

  const LOST_READERS = {
    gone: (program: Program) => program.child.stdout?.destroy(),
    stuck: (program: Program) => program.child.stdout?.pause(),
  };

  it.each(['gone', 'stuck'] as const)(
    'serves and ends as ever where the reader of its log is %s',
    async reader => {
      // Another writer fills the pipe, as a long evening does.
      const command = [
        '/bin/sh',
        '-c',
        `head -c 10000000 /dev/zero & exec ${process.execPath} ${builtFile('start/main.js')}`,
      ];
      const program = await startProgram({ LOG_LEVEL: 'debug' }, { command });
      onTestFinished(() => void program.child.stdout?.destroy());
      LOST_READERS[reader](program);
      const answers = () =>
        fetch(`${program.url}/livez`).then(
          ({ ok }) => ok,
          () => false,
        );
      await until(answers, 'an answer');
      for (let request = 0; request < 50; request += 1) expect(await answers()).toBe(true);
      const exited = once(program.child, 'exit');
      program.child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    },
  );

  it('exits with 1 after an uncaught error even if stdout is closed', async () => {
    const preload = `process.on('SIGUSR1', () => void Promise.reject(new Error('a fault')));`;
    const program = await startProgram({}, { preload });
    await program.running();
    LOST_READERS.gone(program);
    const exited = once(program.child, 'exit');
    program.child.kill('SIGUSR1');
    expect(await exited).toEqual([1, null]);
  });

  it('exits when its terminal is closed', async () => {
    const inTerminal = `echo "process $$"; exec ${process.execPath} ${builtFile('start/main.js')}`;
    const program = await startProgram({}, { command: ['script', '-qec', inTerminal, '/dev/null'] });
    await program.running();
    const pid = Number(/process (\d+)/.exec(program.log)?.[1]);
    expect(isThere(pid)).toBe(true);
    program.child.kill('SIGKILL');
    try {
      await until(() => !isThere(pid), 'its end');
    } finally {
      if (isThere(pid)) process.kill(pid, 'SIGKILL');
    }
  });
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
