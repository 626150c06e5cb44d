import { hostname } from 'node:os';
import { styleText } from 'node:util';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { pino, stdTimeFunctions } from 'pino';
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
