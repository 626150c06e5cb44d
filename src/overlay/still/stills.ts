import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { LruMap } from '../../engine/lru-map.ts';
import { PollError } from '../../poll/poll-error.ts';
import type { Still } from './draw-still.ts';

const KEPT = { entries: 500, bytes: 32 * 1024 * 1024 };
/** Drawings in line. Each takes about 50 ms. */
const MAX_WAITING = 40;
const DRAWING_MS = 20_000;
/** The worker holds 60 MB, so it ends when nothing is drawn. */
const IDLE_MS = 60_000;

/** Members of results that no picture shows, and the bytes of a logo, which its file name stands for. */
const UNSEEN = new Set([
  'bytes',
  'id',
  'timestamp',
  'version',
  'position',
  'total_voters',
  'edited_at',
  'deadline',
]);

type Reply = { readonly png: Uint8Array } | { readonly error: string };

/** Draws pictures one at a time in a thread of its own, which starts with the first. */
export class Stills {
  readonly #kept = new LruMap<string, Buffer>({
    entries: KEPT.entries,
    weight: KEPT.bytes,
    weigh: png => png.length,
  });
  readonly #drawing = new Map<string, Promise<Buffer>>();
  #last: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  readonly #thread: URL;

  /** @param thread the script that draws */
  constructor(thread = new URL('../../../dist/still-worker.js', import.meta.url)) {
    this.#thread = thread;
  }

  /** Returns a key of everything that the picture shows, so it is the same at every relay of one version. */
  static keyOf(still: Still, version: string): string {
    const text = JSON.stringify([version, still], (name, value) => (UNSEEN.has(name) ? undefined : value));
    return createHash('sha256').update(text).digest('base64url').slice(0, 22);
  }

  /** Whether a picture is kept, or being drawn. */
  has(key: string): boolean {
    return this.#drawing.has(key) || this.#kept.get(key) !== undefined;
  }

  /**
   * Returns a PNG. Simultaneous requests for a picture share its drawing.
   *
   * @throws PollError `picture_unavailable` if too many wait, or if this platform cannot draw
   */
  async draw(key: string, still: Still): Promise<Buffer> {
    const known = this.#kept.get(key) ?? this.#drawing.get(key);
    if (known) return known;
    if (this.#drawing.size >= MAX_WAITING)
      throw new PollError('picture_unavailable', { retryAfterSeconds: 2 });
    const drawing = this.#last.then(() => this.#drawNow(still));
    this.#drawing.set(key, drawing);
    this.#last = drawing.then(
      png => {
        this.#kept.set(key, png);
        this.#drawing.delete(key);
      },
      () => this.#drawing.delete(key),
    );
    return drawing;
  }

  close(): void {
    clearTimeout(this.#idle);
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #drawNow(still: Still): Promise<Buffer> {
    clearTimeout(this.#idle);
    const worker = this.#worker ?? this.#start();
    try {
      const reply = await replyOf(worker, still);
      if ('error' in reply) throw new Error(reply.error);
      return Buffer.from(reply.png.buffer, reply.png.byteOffset, reply.png.byteLength);
    } catch (cause) {
      this.close();
      throw new PollError('picture_unavailable', { retryAfterSeconds: 60, cause });
    } finally {
      this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#thread);
    worker.unref();
    this.#worker = worker;
    return worker;
  }
}

function replyOf(worker: Worker, still: Still): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const end = (outcome: Reply | Error) => {
      clearTimeout(timer);
      worker.off('message', end).off('error', end).off('exit', endOfThread);
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    };
    const endOfThread = (code: number) => end(new Error(`the drawing thread has ended with code ${code}`));
    const timer = setTimeout(end, DRAWING_MS, new Error('drawing took too long'));
    worker.on('message', end).on('error', end).on('exit', endOfThread).postMessage(still);
  });
}
