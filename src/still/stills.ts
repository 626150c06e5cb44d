import { hash, randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { FairLines } from '../http/fair-turns.ts';
import { PollError } from '../poll/poll-error.ts';
import type { Still } from './draw-still.ts';

const KEPT = { entries: 500, bytes: 32 * 1024 * 1024 };
/** Drawings that wait: of one address, and of all. Most take 50 to 250 ms. */
const MAX_WAITING = { ofOne: 40, ofAll: 400 };
/** Ends before `connectionTimeout`, so that a request gets an error instead of a hang-up. */
const DRAWING_MS = 15_000;
/** For the images of a picture before others have a turn. Doubles, so that each picture is finished. */
const PATIENCE_MS = 250;
/** The worker holds 60 MB beside its images, so it ends when nothing is drawn. */
const IDLE_MS = 60_000;

const UNSCALED =
  'This image is too large to be stored as it is, and cannot be scaled right now. Send one of at most 200 KB and 1,024 pixels a side.';

/** Members of results that no picture shows. */
const UNSEEN = new Set(['id', 'timestamp', 'version', 'position', 'total_voters', 'edited_at', 'deadline']);

/** An image that is to be stored smaller. */
export interface Photo {
  readonly photo: Uint8Array;
}

export type Task = (Still | Photo) & { readonly patienceMs: number };

export interface Reader {
  /**
   * Addresses take turns of equal time, so that neither many pictures of one nor dear ones delay
   * others for longer than one drawing.
   */
  readonly address: string;
  /** A picture whose readers are all gone is not drawn. */
  isGone(): boolean;
}

interface Drawing {
  readonly key: string;
  readonly load: () => Promise<Still | Photo>;
  readonly readers: Reader[];
  readonly image: Promise<Buffer>;
  patienceMs: number;
  settle(image: Promise<Buffer>): void;
  isWaiting: boolean;
}

/** No image if the patience was over. */
type Reply = { readonly image: Uint8Array | undefined } | { readonly error: string };

/** Draws pictures, and scales photos, one at a time in a thread of its own, which starts with the first. */
export class Stills {
  readonly #kept = new LRUCache<string, Buffer>({
    max: KEPT.entries,
    maxSize: KEPT.bytes,
    sizeCalculation: image => image.length,
  });
  readonly #drawings = new Map<string, Drawing>();
  /** By the address of a reader. */
  readonly #lines = new FairLines<Drawing>();
  #isBusy = false;
  #idleSinceMs = 0;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  readonly #thread: URL;
  readonly #clock: () => number;

  /** @param thread the script that draws */
  constructor(
    thread = new URL('../../dist/still/still-worker.js', import.meta.url),
    clock = () => performance.now(),
  ) {
    this.#thread = thread;
    this.#clock = clock;
  }

  /**
   * Returns a key of everything that the picture shows, so it is the same at every relay of one version.
   *
   * @param shown names images by their files, so that a kept picture costs no read of them
   */
  static keyOf(shown: object, version: string): string {
    const text = JSON.stringify([version, shown], (name, value) => (UNSEEN.has(name) ? undefined : value));
    return hash('sha256', text, 'base64url').slice(0, 22);
  }

  /** Whether a picture is kept, or will be drawn. */
  has(key: string): boolean {
    return this.#drawings.has(key) || this.#kept.has(key);
  }

  /**
   * Returns a PNG. Simultaneous requests for a picture share its drawing.
   *
   * @param load is called when the drawing begins, so a waiting one holds no images
   * @throws PollError `picture_unavailable` if too many wait, or if this platform cannot draw
   */
  async draw(key: string, load: Drawing['load'], reader: Reader): Promise<Buffer> {
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const drawing = this.#drawings.get(key) ?? newDrawing(key, load);
    drawing.readers.push(reader);
    if (drawing.isWaiting) this.#enqueue(drawing, reader);
    if (!this.#isBusy) void this.#drawAll();
    return drawing.image;
  }

  /**
   * Returns an image as WebP that an answer can have; undefined if it cannot be decoded.
   *
   * @throws PollError as `draw`
   */
  async scale(photo: Buffer, reader: Reader): Promise<Buffer | undefined> {
    const scaled = this.draw(`photo ${randomUUID()}`, async () => ({ photo }), reader);
    const image = await scaled.catch(({ cause, retryAfterSeconds = 2 }: PollError) => {
      throw new PollError('picture_unavailable', { message: UNSCALED, retryAfterSeconds, cause });
    });
    return image.length > 0 ? image : undefined;
  }

  /** Also if it waits for another address, whose line may be longer. */
  #enqueue(drawing: Drawing, { address }: Reader): void {
    const line = this.#lines.of(address);
    if (line.includes(drawing)) return;
    const isNew = !this.#drawings.has(drawing.key);
    if (isNew && (line.length >= MAX_WAITING.ofOne || this.#drawings.size >= MAX_WAITING.ofAll))
      throw new PollError('picture_unavailable', { retryAfterSeconds: 2 });
    this.#drawings.set(drawing.key, drawing);
    this.#lines.add(address, drawing);
  }

  async #drawAll(): Promise<void> {
    this.#isBusy = true;
    this.#lines.forgive(this.#clock() - this.#idleSinceMs);
    for (let next = this.#lines.take(); next; next = this.#lines.take()) {
      if (!next.isWaiting) continue;
      next.isWaiting = false;
      const beganAtMs = this.#clock();
      await this.#work(next);
      const addresses = new Set(next.readers.map(({ address }) => address));
      for (const address of addresses) {
        this.#lines.charge(address, (this.#clock() - beganAtMs) / addresses.size);
        if (next.isWaiting && !this.#lines.of(address).includes(next)) this.#lines.add(address, next);
      }
    }
    this.#idleSinceMs = this.#clock();
    this.#isBusy = false;
  }

  /** Draws a picture, or begins to: one with many images goes on after the others that wait. */
  async #work(drawing: Drawing): Promise<void> {
    const { key, readers, patienceMs } = drawing;
    try {
      if (readers.every(reader => reader.isGone())) throw new PollError('picture_unavailable');
      const task = await drawing.load();
      const image = await this.#drawNow({ ...task, patienceMs });
      drawing.patienceMs *= 2;
      drawing.isWaiting = image === undefined;
      if (!image) return;
      if ('poll' in task && !task.lacksImages) this.#kept.set(key, image);
      drawing.settle(Promise.resolve(image));
    } catch (error) {
      drawing.settle(Promise.reject(error));
    }
    this.#drawings.delete(key);
  }

  close(): void {
    clearTimeout(this.#idle);
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #drawNow(task: Task): Promise<Buffer | undefined> {
    clearTimeout(this.#idle);
    const worker = this.#worker ?? this.#start();
    try {
      const reply = await replyOf(worker, task);
      if ('error' in reply) throw new Error(reply.error);
      const { buffer, byteOffset, byteLength } = reply.image ?? {};
      return buffer && Buffer.from(buffer, byteOffset, byteLength);
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

function newDrawing(key: string, load: Drawing['load']): Drawing {
  let settle: Drawing['settle'] = () => {};
  const image = new Promise<Buffer>(resolve => {
    settle = resolve;
  });
  return { key, load, readers: [], image, patienceMs: PATIENCE_MS, settle, isWaiting: true };
}

function replyOf(worker: Worker, task: Task): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const end = (outcome: Reply | Error) => {
      clearTimeout(timer);
      worker.off('message', end).off('error', end).off('exit', endOfThread);
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    };
    const endOfThread = (code: number) => end(new Error(`the drawing thread has ended with code ${code}`));
    const timer = setTimeout(end, DRAWING_MS, new Error('drawing took too long'));
    worker.on('message', end).on('error', end).on('exit', endOfThread).postMessage(task);
  });
}
