import { createHistogram, performance, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** Subscribers of one poll that only listen, and what reaches them. */

export interface CrowdOptions {
  /** The live stream's address, with its query. */
  readonly url: string;
  /** Said by each where the results need a key: a `subscribe` message. */
  readonly hello: string | undefined;
  readonly subscribers: number;
  /** How many are opened in a second. */
  readonly rate: number;
}

/** Durations in whole microseconds: what a histogram takes. */
export type Durations = RecordableHistogram;

const OPENING_MS = 50;
/** For the handshake and the first message. */
const PATIENCE_MS = 10_000;
const PING_MS = 1_000;
/** So many are asked how long an answer takes: more would be a load of their own. */
const PINGED = 20;
/** Of versions whose first arrival is remembered. */
const VERSIONS = 1_000;

export class Crowd {
  readonly handshakes: Durations = createHistogram();
  /** From the first byte sent to the first results. */
  readonly firsts: Durations = createHistogram();
  /** How much later than at the first subscriber of all a version came. */
  readonly spread: Durations = createHistogram();
  /** By the messages' own timestamps, which are whole seconds. */
  readonly ages: Durations = createHistogram();
  readonly roundTrips: Durations = createHistogram();
  /** How connections ended, or never began, by the words for it. */
  readonly ends = new Map<string, number>();
  frames = 0;
  bytes = 0;
  /** Versions that went back without a reset. */
  disordered = 0;
  connected = 0;
  readonly #options: CrowdOptions;
  readonly #sockets = new Set<WebSocket>();
  readonly #arrivals = new Map<number, number>();
  #isCounting = false;
  #isLeaving = false;

  constructor(options: CrowdOptions) {
    this.#options = options;
  }

  /** Resolves once each has its first results or has failed. */
  async gather(): Promise<void> {
    const { subscribers, rate } = this.#options;
    const joining: Promise<void>[] = [];
    const beganMs = performance.now();
    while (joining.length < subscribers) {
      const due = Math.min(
        subscribers,
        Math.ceil(((performance.now() - beganMs + OPENING_MS) * rate) / 1_000),
      );
      while (joining.length < due) joining.push(this.#join());
      await setTimeout(OPENING_MS);
    }
    await Promise.all(joining);
  }

  /** Counts what comes from now on, for so long. */
  async listen(durationMs: number, signal: AbortSignal): Promise<void> {
    this.#isCounting = true;
    const pinging = setInterval(() => this.#ping(), PING_MS);
    await setTimeout(durationMs, undefined, { signal }).catch(() => {});
    clearInterval(pinging);
    this.#isCounting = false;
  }

  leave(): void {
    this.#isLeaving = true;
    for (const socket of this.#sockets) socket.terminate();
  }

  #join(): Promise<void> {
    const beganMs = performance.now();
    const socket = new WebSocket(this.#options.url, {
      perMessageDeflate: false,
      handshakeTimeout: PATIENCE_MS,
    });
    this.#sockets.add(socket);
    let last = 0;
    return new Promise(joined => {
      const patience = globalThis.setTimeout(() => socket.terminate(), PATIENCE_MS);
      socket.on('open', () => {
        this.handshakes.record(microseconds(performance.now() - beganMs));
        if (this.#options.hello !== undefined) socket.send(this.#options.hello);
      });
      socket.on('message', (data: Buffer) => {
        const atMs = performance.now();
        const message = JSON.parse(data.toString()) as Message;
        if (message.type === 'error') return this.#end(socket, message.message ?? 'refused');
        if (message.version === undefined) return;
        if (last === 0) {
          this.firsts.record(microseconds(atMs - beganMs));
          this.connected += 1;
          clearTimeout(patience);
          joined();
        }
        if (message.version < last && !message.reset) this.disordered += 1;
        last = message.version;
        if (this.#isCounting) this.#count(message, data.length, atMs);
      });
      socket.on('error', error => this.#end(socket, error.message));
      socket.on('close', (code, reason) => {
        this.#end(socket, `${code} ${reason}`.trim());
        clearTimeout(patience);
        joined();
      });
      socket.on('pong', sent => this.roundTrips.record(microseconds(performance.now() - Number(sent))));
    });
  }

  #count({ version = 0, timestamp = 0 }: Message, bytes: number, atMs: number): void {
    this.frames += 1;
    this.bytes += bytes;
    const firstMs = this.#arrivals.get(version);
    if (firstMs === undefined) {
      this.#arrivals.set(version, atMs);
      if (this.#arrivals.size > VERSIONS) this.#arrivals.delete(this.#arrivals.keys().next().value as number);
    }
    this.spread.record(microseconds(atMs - (firstMs ?? atMs)));
    this.ages.record(microseconds(Date.now() - timestamp * 1_000));
  }

  #ping(): void {
    let pinged = 0;
    for (const socket of this.#sockets) {
      if (socket.readyState !== WebSocket.OPEN) continue;
      socket.ping(`${performance.now()}`);
      pinged += 1;
      if (pinged === PINGED) return;
    }
  }

  /** Told once of each, by the first words. */
  #end(socket: WebSocket, words: string): void {
    if (!this.#sockets.delete(socket) || this.#isLeaving) return;
    this.ends.set(words, (this.ends.get(words) ?? 0) + 1);
    socket.terminate();
  }
}

interface Message {
  readonly type: string;
  readonly version?: number;
  readonly timestamp?: number;
  readonly reset?: true;
  readonly message?: string;
}

/** A histogram counts from 1. */
function microseconds(ms: number): number {
  return Math.max(1, Math.round(ms * 1_000));
}
