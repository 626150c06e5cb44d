import type { ChildProcess } from 'node:child_process';
import { inTime } from './clock.ts';

/** Calls between the process that runs the benches and those that do the work. */

export type Calls = { readonly [name: string]: (argument: never) => unknown };

interface Call {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string | undefined;
}

const PATIENCE_MS = 150_000;

export class WorkerProcess<C extends Calls> {
  readonly child: ChildProcess;
  readonly #name: string;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #calls = 0;

  constructor(child: ChildProcess, name: string) {
    this.child = child;
    this.#name = name;
    child.on('message', message => {
      const answer = message as Answer;
      this.#waiting.get(answer.id)?.(answer);
    });
    child.once('exit', () => {
      for (const [id, settle] of this.#waiting) settle({ id, error: 'the process ended' });
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async call<N extends keyof C & string>(
    name: N,
    argument: Parameters<C[N]>[0],
  ): Promise<Awaited<ReturnType<C[N]>>> {
    this.#calls += 1;
    const id = this.#calls;
    const answered = new Promise<Answer>(settle => this.#waiting.set(id, settle));
    this.child.send({ id, name, argument } satisfies Call);
    const answer = await inTime(answered, PATIENCE_MS, `${this.#name}.${name}`).finally(() =>
      this.#waiting.delete(id),
    );
    if (answer.error !== undefined) throw new Error(`${this.#name}.${name}: ${answer.error}`);
    return answer.value as Awaited<ReturnType<C[N]>>;
  }
}

/** The other side: answers calls until the process that asks is gone. */
export function serveCalls(calls: Calls): void {
  const answer = (message: Answer) => process.send?.(message);
  process.on('message', async message => {
    const { id, name, argument } = message as Call;
    try {
      const act = calls[name] as ((argument: unknown) => unknown) | undefined;
      if (!act) throw new Error('no such call');
      answer({ id, value: await act(argument) });
    } catch (error) {
      answer({ id, error: error instanceof Error ? error.message : String(error) });
    }
  });
  process.once('disconnect', () => process.exit());
}
