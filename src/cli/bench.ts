import { createHistogram, performance, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { PollTarget } from './relay-request.ts';

/** `tallycast bench`: many subscribers of one poll, and what they receive. */

export interface BenchSettings {
  readonly target: PollTarget;
  readonly key: string | undefined;
  readonly subscribers: number;
  /** Connections opened each second. */
  readonly rate: number;
  readonly duration: number;
  readonly hz?: number | undefined;
  readonly whole?: true | undefined;
  readonly signal: AbortSignal;
}

export interface RunningBench {
  readonly describe: () => string;
  readonly done: Promise<BenchReport>;
}

/** The report for programs; durations in milliseconds. */
export interface BenchReport {
  readonly url: string;
  readonly subscribers: number;
  readonly connected: number;
  readonly gathered_ms: number;
  readonly seconds: number;
  readonly handshake: Quantiles;
  readonly first_message: Quantiles;
  readonly frames: number;
  readonly frames_per_second: number;
  readonly bytes: number;
  readonly bytes_per_second: number;
  readonly spread: Quantiles;
  readonly age: Quantiles;
  readonly round_trip: Quantiles;
  readonly out_of_order: number;
  /** The number of rejected or lost connections by reason. */
  readonly lost: Readonly<Record<string, number>>;
  /** Share of one core that this process used while it measured. */
  readonly client_cpu: number;
}

interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

interface Message {
  readonly type: string;
  readonly version?: number;
  readonly timestamp?: number;
  readonly reset?: true;
  readonly message?: string;
}

const OPEN_EVERY_MS = 50;
const CONNECT_TIMEOUT_MS = 10_000;
const PING_EVERY_MS = 1_000;
/** More pings would be a load of their own. */
const PINGED_SOCKETS = 20;
const REMEMBERED_VERSIONS = 1_000;
/** Above this, the figures depend on this machine as much as on the relay. */
const BUSY_CPU = 0.8;
const count = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export function bench(settings: BenchSettings): RunningBench {
  const audience = new Audience(settings);
  return {
    describe: () => `${audience.connected} of ${settings.subscribers} connected, ${audience.frames} frames`,
    done: measure(audience, settings),
  };
}

async function measure(
  audience: Audience,
  { target, subscribers, duration, signal }: BenchSettings,
): Promise<BenchReport> {
  const beganMs = performance.now();
  await audience.connect();
  const gatheredMs = performance.now();
  const cpu = process.cpuUsage();
  if (audience.connected > 0) await audience.listen(duration * 1_000, signal);
  const seconds = Math.max(0.001, (performance.now() - gatheredMs) / 1_000);
  const { user, system } = process.cpuUsage(cpu);
  audience.close();
  return {
    url: target.url,
    subscribers,
    connected: audience.connected,
    gathered_ms: Math.round(gatheredMs - beganMs),
    seconds: Math.round(seconds * 1_000) / 1_000,
    handshake: quantilesOf(audience.handshakes),
    first_message: quantilesOf(audience.firsts),
    frames: audience.frames,
    frames_per_second: Math.round(audience.frames / seconds),
    bytes: audience.bytes,
    bytes_per_second: Math.round(audience.bytes / seconds),
    spread: quantilesOf(audience.spread),
    age: quantilesOf(audience.ages),
    round_trip: quantilesOf(audience.roundTrips),
    out_of_order: audience.outOfOrder,
    lost: Object.fromEntries(audience.ends),
    client_cpu: Math.round((user + system) / seconds / 10_000) / 100,
  };
}

function quantilesOf(durations: RecordableHistogram): Quantiles {
  const ms = (microseconds: number) => Math.round(microseconds / 10) / 100;
  if (durations.count === 0) return { p50: 0, p99: 0, max: 0 };
  return { p50: ms(durations.percentile(50)), p99: ms(durations.percentile(99)), max: ms(durations.max) };
}

class Audience {
  readonly handshakes = createHistogram();
  /** From opening the connection to the first results. */
  readonly firsts = createHistogram();
  /** Delay of a version after its first arrival at any subscriber. */
  readonly spread = createHistogram();
  /** By the timestamps of the messages, which are whole seconds. */
  readonly ages = createHistogram();
  readonly roundTrips = createHistogram();
  /** The number of ended connections by reason. */
  readonly ends = new Map<string, number>();
  frames = 0;
  bytes = 0;
  /** Older versions without a reset. */
  outOfOrder = 0;
  connected = 0;
  readonly #settings: BenchSettings;
  readonly #url: string;
  readonly #hello: string | undefined;
  readonly #sockets = new Set<WebSocket>();
  readonly #firstArrivals = new Map<number, number>();
  #isCounting = false;
  #isClosing = false;

  constructor(settings: BenchSettings) {
    const { target, key, hz, whole } = settings;
    this.#settings = settings;
    const query = new URLSearchParams({
      ...(whole ? {} : { compact: '1' }),
      ...(hz === undefined ? {} : { hz: `${hz}` }),
    });
    const base = target.url.replace(/^http/, 'ws');
    // Servers and proxies log URLs, so a key is sent in a message.
    this.#hello = key === undefined ? undefined : JSON.stringify({ type: 'subscribe', id: target.id, key });
    this.#url =
      key === undefined
        ? `${base}/live?${query}`
        : `${base.slice(0, base.indexOf('/api/poll/'))}/api/live?${query}`;
  }

  /** Resolves once each subscriber has its first results or has failed. */
  async connect(): Promise<void> {
    const { subscribers, rate } = this.#settings;
    const joining: Promise<void>[] = [];
    const beganMs = performance.now();
    while (joining.length < subscribers) {
      const elapsedMs = performance.now() - beganMs + OPEN_EVERY_MS;
      const due = Math.min(subscribers, Math.ceil((elapsedMs * rate) / 1_000));
      while (joining.length < due) joining.push(this.#join());
      await setTimeout(OPEN_EVERY_MS);
    }
    await Promise.all(joining);
  }

  async listen(durationMs: number, signal: AbortSignal): Promise<void> {
    this.#isCounting = true;
    const pinging = setInterval(() => this.#ping(), PING_EVERY_MS);
    await setTimeout(durationMs, undefined, { signal }).catch(() => {});
    clearInterval(pinging);
    this.#isCounting = false;
  }

  close(): void {
    this.#isClosing = true;
    for (const socket of this.#sockets) socket.terminate();
  }

  #join(): Promise<void> {
    const beganMs = performance.now();
    const socket = new WebSocket(this.#url, {
      perMessageDeflate: false,
      handshakeTimeout: CONNECT_TIMEOUT_MS,
    });
    this.#sockets.add(socket);
    let last = 0;
    return new Promise(joined => {
      const timeout = globalThis.setTimeout(() => socket.terminate(), CONNECT_TIMEOUT_MS);
      socket.on('open', () => {
        this.handshakes.record(microseconds(performance.now() - beganMs));
        if (this.#hello !== undefined) socket.send(this.#hello);
      });
      socket.on('message', (data: Buffer) => {
        const atMs = performance.now();
        const message = JSON.parse(data.toString()) as Message;
        if (message.type === 'error') return this.#end(socket, message.message ?? 'rejected');
        if (message.version === undefined) return;
        if (last === 0) {
          this.firsts.record(microseconds(atMs - beganMs));
          this.connected += 1;
          clearTimeout(timeout);
          joined();
        }
        if (message.version < last && !message.reset) this.outOfOrder += 1;
        last = message.version;
        if (this.#isCounting) this.#count(message, data.length, atMs);
      });
      socket.on('error', error => this.#end(socket, error.message));
      socket.on('close', (code, reason) => {
        this.#end(socket, `${code} ${reason}`.trim());
        clearTimeout(timeout);
        joined();
      });
      socket.on('pong', sent => this.roundTrips.record(microseconds(performance.now() - Number(sent))));
    });
  }

  #count({ version = 0, timestamp = 0 }: Message, bytes: number, atMs: number): void {
    this.frames += 1;
    this.bytes += bytes;
    const arrivals = this.#firstArrivals;
    const firstMs = arrivals.get(version) ?? atMs;
    if (firstMs === atMs) arrivals.set(version, atMs);
    if (arrivals.size > REMEMBERED_VERSIONS) arrivals.delete(arrivals.keys().next().value as number);
    this.spread.record(microseconds(atMs - firstMs));
    this.ages.record(microseconds(Date.now() - timestamp * 1_000));
  }

  #ping(): void {
    const open = [...this.#sockets].filter(({ readyState }) => readyState === WebSocket.OPEN);
    for (const socket of open.slice(0, PINGED_SOCKETS)) socket.ping(`${performance.now()}`);
  }

  /** Counts each connection once, by its first reason. */
  #end(socket: WebSocket, reason: string): void {
    if (!this.#sockets.delete(socket) || this.#isClosing) return;
    this.ends.set(reason, (this.ends.get(reason) ?? 0) + 1);
    socket.terminate();
  }
}

/** A histogram starts at 1. */
function microseconds(ms: number): number {
  return Math.max(1, Math.round(ms * 1_000));
}

export function linesOf(report: BenchReport): string[] {
  const { connected, subscribers, frames, bytes } = report;
  const each = frames / Math.max(1, connected) / report.seconds;
  const lost = Object.entries(report.lost).map(([reason, times]) => `${count.format(times)} × ${reason}`);
  const losses = lost.length > 0 ? [`LOST        ${lost.join('; ')}`] : [];
  if (connected === 0) return losses;
  return [
    `connected   ${count.format(connected)} of ${count.format(subscribers)} in ${(report.gathered_ms / 1_000).toFixed(1)} s; handshake ${quantiles(report.handshake)}`,
    `first       ${quantiles(report.first_message)}, from connecting to the first results`,
    `frames      ${count.format(frames)}: ${count.format(report.frames_per_second)} a second, ${each.toFixed(1)} for each subscriber`,
    `bytes       ${count.format(bytes)}: ${count.format(report.bytes_per_second)} a second, ${count.format(bytes / Math.max(1, frames))} a frame`,
    `spread      ${quantiles(report.spread)}, after the first subscriber with the same version`,
    `age         ${quantiles(report.age)}, by the timestamps of the messages: whole seconds, so up to 1,000 ms too high`,
    `round trip  ${quantiles(report.round_trip)}, of a ping`,
    ...(report.out_of_order > 0
      ? [`DISORDERED  ${count.format(report.out_of_order)} older versions arrived later`]
      : []),
    ...losses,
    ...(report.client_cpu > BUSY_CPU
      ? [
          `busy        this process used ${Math.round(report.client_cpu * 100)} % of a core, so the figures depend on it as much as on the relay`,
        ]
      : []),
  ];
}

function quantiles({ p50, p99, max }: Quantiles): string {
  return `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms`;
}
