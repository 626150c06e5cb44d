import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { builtFile } from '../support/relay-process.ts';

/** The built command as a terminal runs it, with what it says on either output. */
export class TerminalCommand {
  stdout = '';
  stderr = '';
  readonly process: ChildProcess;
  readonly exit: Promise<number | null>;
  readonly #onOutput = new Set<() => void>();

  constructor(relayUrl: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.process = spawn(process.execPath, [builtFile('tallycast.js'), ...args], {
      env: { PATH: process.env['PATH'], TALLYCAST_URL: relayUrl, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
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

export async function runToEnd(
  relayUrl: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
) {
  const command = new TerminalCommand(relayUrl, args, env);
  const code = await command.exit;
  return { code, stdout: command.stdout, stderr: command.stderr };
}
