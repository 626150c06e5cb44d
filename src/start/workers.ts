import cluster, { type Worker } from 'node:cluster';
import type { FastifyBaseLogger } from 'fastify';
import { endedWorkers, workers } from '../metrics/catalogue.ts';
import { exposition, labeled, type NodeMetrics, type Scrape, scrape } from '../metrics/exposition.ts';

/** Delay before a worker is replaced, in case it fails at once. */
const RESTART_PAUSE_MS = 1_000;
const KILL_AFTER_MS = 9_000;
/** A worker that has not replied to a scrape by then is left out. */
const SCRAPE_TIMEOUT_MS = 2_000;

const READY = 'ready';
/** To a worker. Unlike a signal to the process group, a message arrives exactly once. */
const STOP = 'stop';
const SCRAPE = 'scrape';
const SCRAPED = 'scraped';
const SUPERVISED = [workers.name, endedWorkers.name];

/** Environment variable of a worker: its number, from 1. */
const SLOT = 'TALLYCAST_WORKER';

/** Whether this process, of all that share the ports, does what one of them must do. */
export function isFirstWorker(): boolean {
  // biome-ignore lint/style/noProcessEnv: from the supervisor, not from the operator
  return cluster.isPrimary || process.env[SLOT] === '1';
}

/** In a worker: reports that it is ready, replies to scrapes, and stops on request. */
export function followSupervisor(stop: () => void, node: NodeMetrics | undefined): void {
  process.on('message', (message: { type?: unknown; number?: number } | string) => {
    if (message === STOP) stop();
    if (typeof message === 'string' || message.type !== SCRAPE) return;
    void scrape(node).then(all => {
      const metrics = all.filter(({ name }) => !SUPERVISED.includes(name));
      process.send?.({ type: SCRAPED, number: message.number, metrics });
    });
  });
  process.send?.(READY);
}

/** Several processes on one port, which only share the engine. A worker that exits is replaced. */
export class Workers {
  readonly #logger: FastifyBaseLogger;
  readonly #ready = new Set<Worker>();
  /** Numbers from 1. A replacement gets the number of its predecessor. */
  readonly #slots = new Map<Worker, number>();
  readonly #ended = endedWorkers.of({});
  #isStopping = false;
  #hasFailed = false;
  #scrapes = 0;

  constructor(logger: FastifyBaseLogger) {
    this.#logger = logger;
    cluster.on('message', (worker, message) => message === READY && this.#ready.add(worker));
  }

  /**
   * Resolves once every worker is ready.
   *
   * @returns false if `stop` was called before
   * @throws Error if a worker exits before it is ready, after all others have stopped
   */
  async start(count: number): Promise<boolean> {
    // From then on it is replaced, also while others start.
    const startOne = async () => this.#keep(await untilReady(this.#fork()));
    try {
      // One first, so that a common error is reported once.
      await startOne();
      await Promise.all(Array.from({ length: count - 1 }, startOne));
    } catch (error) {
      if (this.#isStopping) return false;
      await this.stop().catch(() => {});
      throw error;
    }
    return !this.#isStopping;
  }

  /** Resolves once all have exited. @throws Error if one of them failed while it stopped */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(present().map(worker => this.#stop(worker)));
    if (this.#hasFailed) throw new Error('A worker exited with an error.');
  }

  /** Scrapes all workers, each labeled with its number. */
  async scrape(): Promise<string> {
    const answers = await Promise.all(
      present().map(async worker => {
        const metrics = await this.#scrape(worker);
        return metrics && labeled(metrics, this.#slots.get(worker) ?? 0);
      }),
    );
    const scraped = answers.filter(answer => answer !== undefined);
    const endReading = workers.read(() => [[{}, scraped.length]]);
    const own = (await scrape()).filter(({ name }) => SUPERVISED.includes(name));
    endReading();
    return exposition([own, ...scraped]);
  }

  #fork(): Worker {
    const taken = new Set(this.#slots.values());
    let slot = 1;
    while (taken.has(slot)) slot += 1;
    const worker = cluster.fork({ [SLOT]: slot });
    this.#slots.set(worker, slot);
    return worker;
  }

  #stop(worker: Worker): Promise<void> {
    if (worker.isDead()) return Promise.resolve();
    // A worker that is not ready does not listen to messages.
    if (this.#ready.has(worker)) worker.send(STOP, () => {});
    else worker.process.kill('SIGTERM');
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), KILL_AFTER_MS);
    return new Promise(done => {
      worker.once('exit', code => {
        clearTimeout(timer);
        this.#hasFailed ||= this.#ready.has(worker) && code !== 0;
        done();
      });
    });
  }

  #keep(worker: Worker): void {
    worker.once('exit', (code, signal) => this.#onExit(worker, code, signal));
  }

  #onExit(worker: Worker, code: number, signal: string): void {
    if (this.#isStopping) return;
    const slot = this.#slots.get(worker);
    const workerPid = worker.process.pid;
    this.#ready.delete(worker);
    this.#slots.delete(worker);
    this.#ended.value += 1;
    this.#logger.error({ worker: slot, workerPid, code, signal }, 'worker exited');
    const endedAtMs = performance.now();
    setTimeout(() => this.#isStopping || this.#replace(endedAtMs), RESTART_PAUSE_MS);
  }

  #replace(endedAtMs: number): void {
    const worker = this.#fork();
    this.#keep(worker);
    const log = () => {
      const downMs = Math.round(performance.now() - endedAtMs);
      const slot = this.#slots.get(worker);
      this.#logger.info({ worker: slot, workerPid: worker.process.pid, downMs }, 'worker restarted');
    };
    untilReady(worker).then(log, () => {});
  }

  #scrape(worker: Worker): Promise<Scrape | undefined> {
    this.#scrapes += 1;
    const number = this.#scrapes;
    return new Promise(done => {
      const end = (metrics?: Scrape) => {
        clearTimeout(timer);
        worker.off('message', onMessage);
        done(metrics);
      };
      const onMessage = (message: { type?: string; number?: number; metrics?: Scrape }) => {
        if (message.type === SCRAPED && message.number === number) end(message.metrics);
      };
      const timer = setTimeout(end, SCRAPE_TIMEOUT_MS);
      worker.on('message', onMessage);
      worker.send({ type: SCRAPE, number }, error => error && end());
    });
  }
}

function present(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined);
}

function untilReady(worker: Worker): Promise<Worker> {
  return new Promise((done, fail) => {
    worker.on('message', message => message === READY && done(worker));
    worker.once('exit', () => fail(new Error('A worker exited before it was ready; see its message above.')));
  });
}
