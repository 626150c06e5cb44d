import type { WorkerProcess } from '../system/calls.ts';
import { end, startWorker } from '../system/children.ts';
import { until } from '../system/clock.ts';
import type { Dial } from './dial.ts';
import type { Casts, Pass } from './sightings.ts';
import type { SubscriberCalls } from './subscribers.process.ts';

/** 20,000 descriptors are a common limit, and a server in the same run needs as many as all clients together. */
const MOST_PER_PROCESS = 9_500;
/** Each process dials from an address of its own: one address has some 28,000 ports. */
const ADDRESSES = 60;
let addresses = 0;

/** All subscribers of one server, spread over as few processes as hold them. */
export class Audience {
  readonly #dial: Dial;
  readonly #comesBack: boolean;
  readonly #members: { worker: WorkerProcess<SubscriberCalls>; localAddress: string }[];

  /** @param most how many there will ever be */
  constructor(dial: Dial, most: number, comesBack = false) {
    this.#dial = dial;
    this.#comesBack = comesBack;
    this.#members = Array.from({ length: Math.ceil(most / MOST_PER_PROCESS) }, () => {
      addresses = (addresses + 1) % ADDRESSES;
      return {
        worker: startWorker<SubscriberCalls>('subscribers'),
        localAddress: `127.0.0.${addresses + 2}`,
      };
    });
  }

  get pids(): number[] {
    return this.#members.map(({ worker }) => worker.pid);
  }

  /** Adds subscribers. Resolves to how long it took until all were upgraded. */
  async open(count: number): Promise<number> {
    const share = Math.ceil(count / this.#members.length);
    const times = await Promise.all(
      this.#members.map(({ worker, localAddress }, index) => {
        const own = Math.max(0, Math.min(share, count - index * share));
        const order = { dial: this.#dial, count: own, localAddress, comesBack: this.#comesBack };
        return worker.call('open', order);
      }),
    );
    return Math.max(...times.map(({ endMs }) => endMs)) - Math.min(...times.map(({ startMs }) => startMs));
  }

  async tally(): Promise<{ open: number; frames: number; closed: number }> {
    const all = await this.#each(worker => worker.call('tally', undefined as never));
    return { open: sum(all, 'open'), frames: sum(all, 'frames'), closed: sum(all, 'closed') };
  }

  /** Waits until nothing has come for a while. Resolves to the frames that have come in all. */
  async settle(patienceMs = 10_000): Promise<number> {
    let before = -1;
    let now = -1;
    await until(
      async () => {
        before = now;
        now = (await this.tally()).frames;
        return now === before;
      },
      patienceMs,
      150,
    );
    return now;
  }

  /** Waits until so many hold this version. Resolves to when the last of them got it, undefined where they never do. */
  async reach(version: number, count: number, patienceMs: number): Promise<number | undefined> {
    let lastMs = 0;
    const all = await until(
      async () => {
        const standings = await this.#each(worker => worker.call('standing', { version }));
        lastMs = Math.max(...standings.map(standing => standing.lastMs));
        return sum(standings, 'reached') >= count;
      },
      patienceMs,
      50,
    );
    return all ? lastMs : undefined;
  }

  async watch(on: boolean): Promise<void> {
    await this.#each(worker => worker.call('watch', { on }));
  }

  async collect(casts: Casts) {
    const all = await this.#each(worker => worker.call('collect', casts));
    return {
      latencies: sorted(all.map(({ latencies }) => latencies)),
      staleness: sorted(all.map(({ staleness }) => staleness)),
      framesEach: all.flatMap(({ framesEach }) => [...framesEach]).sort((a, b) => a - b),
      passes: joined(all.flatMap(({ passes }) => passes)),
    };
  }

  async leave(): Promise<void> {
    await this.#each(worker => worker.call('leave', undefined as never)).catch(() => {});
    await Promise.all(this.#members.map(({ worker }) => end(worker.child)));
  }

  #each<T>(act: (worker: WorkerProcess<SubscriberCalls>) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#members.map(({ worker }) => act(worker)));
  }
}

function sum<K extends string>(items: readonly { readonly [key in K]: number }[], key: K): number {
  return items.reduce((total, item) => total + item[key], 0);
}

function sorted(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.sort();
}

/** Processes saw parts of the same passes. */
function joined(parts: readonly Pass[]): Pass[] {
  const passes = new Map<number, Pass>();
  for (const part of parts) {
    const known = passes.get(part.version) ?? part;
    const rest = known === part ? 0 : part.frames;
    passes.set(part.version, {
      version: part.version,
      firstMs: Math.min(known.firstMs, part.firstMs),
      lastMs: Math.max(known.lastMs, part.lastMs),
      frames: known.frames + rest,
    });
  }
  return [...passes.values()].sort((a, b) => a.firstMs - b.firstMs);
}
