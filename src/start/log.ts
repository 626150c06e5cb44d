import { hostname } from 'node:os';
import { format, styleText } from 'node:util';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { type LoggerOptions, pino, stdSerializers, stdTimeFunctions } from 'pino';
import type { Engine } from '../engine/engine.ts';
import { causeOf, oncePer } from '../http/request-log.ts';
import {
  closedConnections,
  droppedConnections,
  engineAvailable,
  engineLosses,
  refusals,
  upgrades,
} from '../metrics/catalogue.ts';
import type { Counter } from '../metrics/metric.ts';
import { RelayClosing } from '../protocol/close-event.ts';
import type { Config } from './config.ts';
import { writeFault } from './preflight.ts';

const SHOWN_LEVELS = ['warn', 'error', 'fatal'];
const HIDDEN_FIELDS = ['level', 'time', 'pid', 'hostname', 'role', 'msg', 'requestId'];

/** Bytes that may wait for a blocked stdout. Beyond it lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** How long the process waits for its last lines before it exits. */
const FLUSH_MS = 500;
const REPEAT_MS = 60_000;

/**
 * Lines with the same message within 10 s, and the length of their texts: strangers can cause some,
 * and fill no disk with them.
 */
const LINES = 10;
const WINDOW_MS = 10_000;
const MAX_TEXT = 200;
const MAX_MESSAGES = 200;
const MAX_STACK = 1_000;

/** In case a whole request or its headers are logged by mistake. */
const SECRETS = ['headers', 'key', 'cookie', 'authorization'].flatMap(name => [name, `*.${name}`]);

/**
 * Opens a log of JSON lines on stdout, as text on a terminal. A stdout that is closed or blocked
 * never stops the process.
 */
export function openLog({ LOG_LEVEL: level, ROLE: role }: Config): FastifyBaseLogger {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  return pino(
    {
      level,
      base: { pid: process.pid, hostname: hostname(), role },
      timestamp: stdTimeFunctions.isoTime,
      formatters: {
        level: label => ({ level: label }),
        log: fields => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, clip(value)])),
      },
      hooks: { logMethod: boundLines() },
      redact: SECRETS,
      // No address, which is personal data, and no URL, which may contain a key.
      serializers: {
        req: ({ id, method, routeOptions }: FastifyRequest) => ({ id, method, route: routeOptions?.url }),
        err: (error: Error) => {
          const { type, message, stack, code } = stdSerializers.err(error);
          return { type, message: clip(message), stack: clip(stack, MAX_STACK), code: clip(code) };
        },
      },
    },
    { write: process.stdout.isTTY ? line => write(asText(line)) : write },
  );
}

/** Leaves out lines over the limit, and counts them in the next one. Not `debug`, which is asked for, nor `fatal`. */
function boundLines(): NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> {
  const windows = new Map<string, { endMs: number; lines: number; leftOut: number }>();
  const { info, fatal } = pino.levels.values as { info: number; fatal: number };
  return function log([first, second], method, level) {
    if (first === '') return;
    const isText = typeof first === 'string';
    const message = isText ? first : (second ?? (first instanceof Error ? first.message : ''));
    const fields = isText ? {} : first instanceof Error ? { err: first } : (first as object);
    const write = (leftOut: number) =>
      method.call(this, { ...fields, ...(leftOut > 0 && { leftOut }) }, '%s', clip(message) as string);
    if (level < info || level >= fatal) return write(0);
    const nowMs = performance.now();
    if (windows.size >= MAX_MESSAGES)
      for (const [known, { endMs }] of windows) if (endMs <= nowMs) windows.delete(known);
    // Messages are literals of the code; more of them have a text of a request, and share one limit.
    const kind = windows.size < MAX_MESSAGES || windows.has(message) ? message : '';
    const window = windows.get(kind);
    if (!window || window.endMs <= nowMs) {
      windows.set(kind, { endMs: nowMs + WINDOW_MS, lines: 1, leftOut: 0 });
      write(window?.leftOut ?? 0);
    } else if (window.lines < LINES) {
      window.lines += 1;
      write(0);
    } else window.leftOut += 1;
  };
}

/** @returns texts, also those of a list, with `…` for what is beyond the limit */
function clip(value: unknown, limit = MAX_TEXT): unknown {
  if (Array.isArray(value)) return value.map(one => clip(one, limit));
  return typeof value === 'string' && value.length > limit ? `${value.slice(0, limit - 1)}…` : value;
}

/**
 * Ends the process after its last lines are written, `FLUSH_MS` at most.
 *
 * @param exitCode undefined kills it: an exit waits, maybe for ever, for an engine that still writes
 */
export function endProcess(exitCode: number | undefined): void {
  const end = () => (exitCode === undefined ? process.kill(process.pid, 'SIGKILL') : process.exit(exitCode));
  setTimeout(end, FLUSH_MS);
  process.stdout.write('', end);
}

function write(line: string): void {
  if (line !== '' && process.stdout.writableLength < MAX_WAITING_BYTES) process.stdout.write(line);
}

/** @returns an empty string for a level that is not shown */
function asText(line: string): string {
  const { level, msg = '', ...rest } = JSON.parse(line) as { level: string; msg?: string };
  if (!SHOWN_LEVELS.includes(level)) return '';
  const details = Object.entries(rest)
    .filter(([name]) => !HIDDEN_FIELDS.includes(name))
    .map(([name, value]) => `${name}=${textOf(value)}`);
  const word = level === 'warn' ? styleText('yellow', 'warning') : styleText('red', 'error');
  return `${[`${word}: ${msg}`, ...details].join(' ')}\n`;
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return 'stack' in value ? String(value.stack) : JSON.stringify(value);
}

/** Logs an engine that cannot write. Its server starts all the same, because it can serve results. */
export async function warnOfWriteFault(engine: Engine, logger: FastifyBaseLogger): Promise<void> {
  const found = await writeFault(engine);
  if (found) logger.error(found, 'engine not writable');
}

/** Returns a function that logs faults of an engine, each at most once a minute. */
export function faultLog(logger: FastifyBaseLogger): (fault: Error) => void {
  const isDue = oncePer(REPEAT_MS);
  return error => {
    const { message: fault } = error;
    const cause = causeOf(error);
    if (isDue(`${fault} ${cause}`))
      logger.warn(cause === fault ? { fault } : { fault, cause }, 'engine fault');
  };
}

/** Logs what packages print to the console, such as LMDB after a failed commit. */
export function logConsole(logger: FastifyBaseLogger): void {
  const isDue = oncePer(REPEAT_MS);
  const print = (...printed: unknown[]) => {
    const [first] = printed;
    const cause = first instanceof Error ? causeOf(first) : format(...printed);
    if (isDue(cause)) logger.warn({ cause }, 'package warning');
  };
  console.error = print;
  console.warn = print;
}

/** Logs when the engine becomes unavailable and available again. @returns ends its gauge */
export function watchAvailability({ hints }: Engine, logger: FastifyBaseLogger): () => void {
  let lostAtMs: number | undefined;
  hints.onAvailability(available => {
    if (available) {
      const lostForMs = Math.round(performance.now() - (lostAtMs ?? performance.now()));
      if (lostAtMs !== undefined) logger.info({ lostForMs }, 'engine available');
      lostAtMs = undefined;
    } else if (lostAtMs === undefined) {
      lostAtMs = performance.now();
      engineLosses.value += 1;
      logger.error('engine unavailable');
    }
  });
  return engineAvailable.read(() => [[{}, lostAtMs === undefined ? 1 : 0]]);
}

const CHECK_INTERVAL_MS = 1_000;
const SUMMARY_INTERVAL_MS = 30_000;

const SUMMARIZED = {
  rejected: refusals,
  closed: closedConnections,
  upgrades,
  dropped: droppedConnections,
};

const EXPECTED = new Set<string>([RelayClosing.reason, 'accepted']);

/**
 * Logs how many requests and connections were rejected since the last line, by cause.
 *
 * @returns ends it, after a last line
 */
export function logRejections(logger: FastifyBaseLogger): () => void {
  const before = new Map<string, number>();
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  const log = () => {
    const counts = Object.entries(SUMMARIZED)
      .map(([name, counter]) => [name, increaseOf(counter, before)] as const)
      .filter(([, increase]) => Object.keys(increase).length > 0);
    if (counts.length === 0) return;
    loggedAtMs = performance.now();
    logger.info(Object.fromEntries(counts), 'rejections');
  };
  const timer = setInterval(() => {
    if (performance.now() - loggedAtMs >= SUMMARY_INTERVAL_MS) log();
  }, CHECK_INTERVAL_MS).unref();
  return () => {
    clearInterval(timer);
    log();
  };
}

function increaseOf(counter: Counter<string>, before: Map<string, number>): Record<string, number> {
  const increase: Record<string, number> = {};
  for (const { labels, value } of counter.samples()) {
    const name = Object.values(labels).join(' ');
    const key = `${counter.name} ${name}`;
    if (value > (before.get(key) ?? 0) && !EXPECTED.has(name))
      increase[name] = value - (before.get(key) ?? 0);
    before.set(key, value);
  }
  return increase;
}
