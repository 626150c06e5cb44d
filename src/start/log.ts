import { hostname } from 'node:os';
import { format, styleText } from 'node:util';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { pino, stdTimeFunctions } from 'pino';
import type { Engine } from '../engine/engine.ts';
import { causeOf, oncePer } from '../http/fault-log.ts';
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

/** What a person at a terminal sees; the welcome says the rest. */
const SHOWN_LEVELS = ['warn', 'error', 'fatal'];
/** Members that mean nothing to a person. */
const SURROUNDINGS = ['level', 'time', 'pid', 'hostname', 'role', 'msg', 'requestId'];

/** Bytes that may wait for a reader that does not read. Beyond it lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** How long the end of the process waits for the last lines to be read. */
const FLUSH_MS = 500;

/** In case a whole request or its headers reach the log after all. */
const SECRETS = [
  'headers',
  'key',
  '*.key',
  '*.headers',
  'cookie',
  '*.cookie',
  'authorization',
  '*.authorization',
];

/** Lines of JSON on stdout, one for each event; in words at a terminal. A reader that is gone or stuck never stops the process. */
export function openLog({ LOG_LEVEL: level, ROLE: role }: Config): FastifyBaseLogger {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignore);
  return pino(
    {
      level,
      base: { pid: process.pid, hostname: hostname(), role },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      redact: SECRETS,
      // Neither an address, by which people are known, nor a URL, which may carry a key.
      serializers: {
        req: ({ id, method, routeOptions }: FastifyRequest) => ({ id, method, route: routeOptions?.url }),
      },
    },
    { write: process.stdout.isTTY ? line => write(inWords(line)) : write },
  );
}

/** Ends the process once the last lines are read, or soon after. */
export function endProcess(exitCode: number): void {
  setTimeout(() => process.exit(exitCode), FLUSH_MS);
  process.stdout.write('', () => process.exit(exitCode));
}

function write(line: string): void {
  if (line !== '' && process.stdout.writableLength < MAX_WAITING_BYTES) process.stdout.write(line);
}

/** @returns nothing for a line that a person has no use for */
function inWords(line: string): string {
  const { level, msg = '', ...rest } = JSON.parse(line) as { level: string; msg?: string };
  if (!SHOWN_LEVELS.includes(level)) return '';
  const details = Object.entries(rest)
    .filter(([name]) => !SURROUNDINGS.includes(name))
    .map(([name, value]) => `${name}=${textOf(value)}`);
  const word = level === 'warn' ? styleText('yellow', 'warning') : styleText('red', 'error');
  return `${[`${word}: ${msg}`, ...details].join(' ')}\n`;
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return 'stack' in value ? String(value.stack) : JSON.stringify(value);
}

function ignore(): void {}

/** One and the same fault, as each new try gives it, is logged so often. */
const EVERY_MS = 60_000;

/** What is stored for a moment, to find out whether something can be. */
const TRIAL = 'start';
const TRIAL_MS = 1_000;

export interface WriteFault {
  /** In constant words. */
  readonly fault: string;
  readonly cause: string;
}

/** @returns why nothing can be written; undefined where something can */
export async function writeFault(engine: Engine): Promise<WriteFault | undefined> {
  try {
    await engine.records.put(TRIAL, '', TRIAL_MS);
    return undefined;
  } catch (error) {
    const health = await engine.checkHealth().catch(() => undefined);
    return { fault: health?.fault ?? (error as Error).message, cause: causeOf(error) };
  }
}

/** A server that can only read starts, for its screens: its operator should know. */
export async function warnOfWriteFault(engine: Engine, logger: FastifyBaseLogger): Promise<void> {
  const found = await writeFault(engine);
  if (found) logger.error(found, 'engine: nothing can be written, so nobody can vote');
}

/** Logs faults that an engine reports, each at most once a minute. */
export function faultLog(logger: FastifyBaseLogger): (fault: Error) => void {
  const isDue = oncePer(EVERY_MS);
  return error => {
    const { message } = error;
    const cause = causeOf(error);
    if (isDue(`${message} ${cause}`)) logger.warn(cause === message ? {} : { cause }, `engine: ${message}`);
  };
}

/** Makes a line of the log of what a package prints, as LMDB does with the stack of each failed commit. */
export function logConsole(logger: FastifyBaseLogger): void {
  const isDue = oncePer(EVERY_MS);
  const print = (...printed: unknown[]) => {
    const [first] = printed;
    const cause = first instanceof Error ? causeOf(first) : format(...printed);
    if (isDue(cause)) logger.warn({ cause }, 'a package reported a fault');
  };
  console.error = print;
  console.warn = print;
}

/** A line where the engine is lost, and one where it is back. */
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

const LOOK_EVERY_MS = 1_000;
/** While it goes on, a line so often and no more. */
const SAY_EVERY_MS = 30_000;

const COUNTED = {
  refused: refusals,
  ended: closedConnections,
  turnedAway: upgrades,
  dropped: droppedConnections,
};

/** Those who go elsewhere with the relay are told of where it leaves. */
const EXPECTED = new Set<string>([RelayClosing.reason, 'accepted']);

/**
 * What was refused and who was cut off, in one line a while: how many since the line before, by what they are counted as.
 *
 * @returns ends it, after a last line
 */
export function logRefusals(logger: FastifyBaseLogger): () => void {
  const before = new Map<string, number>();
  let saidAtMs = Number.NEGATIVE_INFINITY;
  const say = () => {
    const news = Object.entries(COUNTED)
      .map(([what, counter]) => [what, newsOf(counter, before)] as const)
      .filter(([, counts]) => Object.keys(counts).length > 0);
    if (news.length === 0) return;
    saidAtMs = performance.now();
    logger.info(Object.fromEntries(news), 'refused or ended since the line before');
  };
  const timer = setInterval(() => {
    if (performance.now() - saidAtMs >= SAY_EVERY_MS) say();
  }, LOOK_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
    say();
  };
}

/** What was counted since it was asked for the last time. */
function newsOf(counter: Counter<string>, before: Map<string, number>): Record<string, number> {
  const news: Record<string, number> = {};
  for (const { labels, value } of counter.samples()) {
    const name = Object.values(labels).join(' ');
    const key = `${counter.name} ${name}`;
    if (value > (before.get(key) ?? 0) && !EXPECTED.has(name)) news[name] = value - (before.get(key) ?? 0);
    before.set(key, value);
  }
  return news;
}
