import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { until } from '../support/until.ts';

/** How long the event loop of a program stood still, as a module measures that is loaded into it first. */
export class LoopWatch {
  readonly #file: string;
  #asked = 0;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'tallycast-loop-'));
    this.#file = join(folder, 'worst.txt');
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  }

  /** For `startProgram`. What the program itself waited for a processor is no standstill of its loop. */
  get preload(): string {
    return `
      import { appendFileSync, readFileSync } from 'node:fs';
      const waitedMs = () => Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
      let worstMs = 0, beforeMs = performance.now(), waitedBeforeMs = waitedMs();
      setInterval(() => {
        const [nowMs, waitedNowMs] = [performance.now(), waitedMs()];
        worstMs = Math.max(worstMs, nowMs - beforeMs - (waitedNowMs - waitedBeforeMs));
        [beforeMs, waitedBeforeMs] = [nowMs, waitedNowMs];
      }, 5).unref();
      process.on('SIGWINCH', () => {
        appendFileSync(${JSON.stringify(this.#file)}, worstMs + '\\n');
        worstMs = 0;
      });
    `;
  }

  /** @returns milliseconds, the longest since it was asked for before */
  async worst(child: ChildProcess): Promise<number> {
    this.#asked += 1;
    child.kill('SIGWINCH');
    await until(() => this.#answers().length === this.#asked, 'the answer of the loop');
    return this.#answers().at(-1) as number;
  }

  #answers(): number[] {
    try {
      return readFileSync(this.#file, 'utf8').split('\n').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  }
}
