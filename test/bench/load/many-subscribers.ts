import type { ChildProcess } from 'node:child_process';
import { end, launch } from '../system/children.ts';
import { inTime } from '../system/clock.ts';
import { compile } from '../system/compile.ts';

/** Subscribers by the hundred thousand, held by programs in C that record what arrives when, and which results each holds. */

/** Below the 20,000 descriptors that are a common limit. */
const MOST_PER_PROCESS = 17_000;
const PATIENCE_MS = 250_000;

/** One message, word for word, and how it spread. */
export interface SpreadMessage {
  readonly text: string;
  /** Subscribers that got nothing since. */
  readonly held: number;
  readonly firstMs: number;
  /** How many got it in each millisecond from the first on. */
  readonly eachMs: readonly number[];
}

export interface Tally {
  readonly open: number;
  readonly closed: number;
  readonly frames: number;
  readonly bytes: number;
}

export class ManySubscribers {
  readonly #members: readonly ChildProcess[];

  /** @param most how many there will ever be */
  constructor(dial: { readonly ports: readonly number[]; readonly path: string }, most: number) {
    const program = compile('load', 'many-subscribers.c');
    this.#members = Array.from({ length: Math.ceil(most / MOST_PER_PROCESS) }, (_, index) =>
      launch(program, [`127.0.1.${index + 1}`, dial.path, ...dial.ports.map(String)]),
    );
  }

  get pids(): number[] {
    return this.#members.map(({ pid }) => pid ?? 0);
  }

  /** Adds subscribers, and waits until all are there. */
  async open(count: number): Promise<void> {
    const before = (await this.tally()).open;
    const share = Math.floor(count / this.#members.length);
    const rest = count - share * this.#members.length;
    const answers = await this.#ask(index => `o ${share + (index < rest ? 1 : 0)}`);
    const open = answers.reduce((sum, answer) => sum + Number(answer), 0);
    if (open < before + count) throw new Error(`only ${open} of ${before + count} connections opened`);
  }

  async tally(): Promise<Tally> {
    const each = (await this.#ask(() => 't')).map(answer => answer.split(' ').map(Number));
    const sum = (at: number) => each.reduce((total, figures) => total + (figures[at] ?? 0), 0);
    return { open: sum(0), closed: sum(1), frames: sum(2), bytes: sum(3) };
  }

  /** Resets the counts of frames and messages, not the held results. */
  async forget(): Promise<void> {
    await this.#ask(() => 'f');
  }

  /** One entry for each message and process. */
  async messages(): Promise<SpreadMessage[]> {
    return (await this.#ask(() => 'm')).flatMap(parseMessages);
  }

  async leave(): Promise<void> {
    await Promise.all(this.#members.map(member => end(member)));
  }

  #ask(commandOf: (index: number) => string): Promise<string[]> {
    return Promise.all(this.#members.map((member, index) => ask(member, commandOf(index))));
  }
}

function ask(member: ChildProcess, command: string): Promise<string> {
  const { stdin, stdout } = member;
  if (!stdin || !stdout || member.exitCode !== null) throw new Error('the subscribers have ended');
  const chunks: Buffer[] = [];
  const answered = new Promise<string>((done, fail) => {
    const listen = (chunk: Buffer) => {
      chunks.push(chunk);
      if (chunk.at(-1) !== 0x0a) return;
      const answer = Buffer.concat(chunks).toString();
      if (command === 'm' && answer !== '\n' && !answer.endsWith('\n\n')) return;
      stdout.off('data', listen);
      member.off('exit', refuse);
      done(answer);
    };
    const refuse = () => fail(new Error('the subscribers have ended'));
    stdout.on('data', listen);
    member.once('exit', refuse);
  });
  stdin.write(`${command}\n`);
  return inTime(answered, PATIENCE_MS, `many-subscribers ${command}`);
}

function parseMessages(answer: string): SpreadMessage[] {
  const lines = answer.split('\n');
  const messages: SpreadMessage[] = [];
  for (let at = 0; at + 2 < lines.length && lines[at] !== ''; at += 3) {
    const [held = 0, firstMs = 0] = (lines[at] ?? '').split(' ').map(Number);
    const eachMs = (lines[at + 2] ?? '').split(' ').filter(Boolean).map(Number);
    messages.push({ held, firstMs, text: lines[at + 1] ?? '', eachMs });
  }
  return messages;
}
