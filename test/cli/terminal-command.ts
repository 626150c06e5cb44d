import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { vi } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { spawnKept } from '../support/child-process.ts';
import { builtFile } from '../support/relay-process.ts';

/** A running command of the built program, with its output. */
export class TerminalCommand {
  stdout = '';
  stderr = '';
  readonly process: ChildProcess;
  readonly exit: Promise<number | null>;
  readonly #onOutput = new Set<() => void>();

  constructor(args: readonly string[], env: Readonly<Record<string, string>>) {
    this.process = spawnKept(process.execPath, [builtFile('cli/tallycast.js'), ...args], {
      env: { PATH: process.env['PATH'], ...env },
    });
    this.process.stdout!.setEncoding('utf8').on('data', text => this.#add({ stdout: this.stdout + text }));
    this.process.stderr!.setEncoding('utf8').on('data', text => this.#add({ stderr: this.stderr + text }));
    this.exit = once(this.process, 'close').then(([code]) => code);
  }

  printed(words: string): Promise<void> {
    return new Promise(resolve => {
      const check = (): void => {
        if ((this.stdout + this.stderr).includes(words)) resolve();
      };
      this.#onOutput.add(check);
      check();
    });
  }

  #add(output: { stdout?: string; stderr?: string }): void {
    Object.assign(this, output);
    for (const check of this.#onOutput) check();
  }
}

/** Runs a command that calls a relay, in this process: one at a time. */
export async function runToEnd(
  relayUrl: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const output = { stdout: '', stderr: '' };
  const keep =
    (name: keyof typeof output, end = '') =>
    (text: unknown) => {
      output[name] += `${text}${end}`;
      return true;
    };
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(keep('stdout', '\n')),
    vi.spyOn(console, 'error').mockImplementation(keep('stderr', '\n')),
    vi.spyOn(process.stdout, 'write').mockImplementation(keep('stdout')),
    vi.spyOn(process.stderr, 'write').mockImplementation(keep('stderr')),
  ];
  for (const [name, value] of Object.entries({ TALLYCAST_URL: relayUrl, ...env })) vi.stubEnv(name, value);
  try {
    return { code: await runCommandLine(args), ...output };
  } finally {
    process.exitCode = undefined;
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}

export interface CommandOutcome {
  readonly code: number | null;
  /** Both outputs. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the reply of its command
  readonly json: any;
}

/** Runs a command with `--json` that opens the engine of the server. @param settings those of the server */
export async function runCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<CommandOutcome> {
  const command = new TerminalCommand(['--json', ...args], settings);
  const code = await command.exit;
  const text = command.stdout + command.stderr;
  const line = text.split('\n').find(each => each.startsWith('{'));
  return { code, text, json: line === undefined ? undefined : JSON.parse(line) };
}
