import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { pino } from 'pino';
import type { Config } from './config.ts';

/** Below a warning a person who started the program by hand is told all by the welcome. */
const WARN = 40;
const ERROR = 50;
/** What a line has that says nothing to a person. */
const SURROUNDINGS = ['level', 'time', 'pid', 'hostname', 'msg', 'requestId'];

/** Where somebody hands over a whole request or its headers after all. */
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

/** Lines of JSON, one for each thing that happened; in words where a person is looking. */
export function openLog({ LOG_LEVEL: level }: Config): FastifyBaseLogger {
  const options = {
    level,
    redact: SECRETS,
    // Neither an address, by which people are known, nor a URL, which may carry a key.
    serializers: {
      req: ({ id, method, routeOptions }: FastifyRequest) => ({ id, method, route: routeOptions?.url }),
    },
  };
  return process.stdout.isTTY ? pino(options, terminalLog(process.stdout)) : pino(options);
}

/** The log for a person at a terminal: a line in words for each of pino's, from a warning on. Everything else reads JSON. */
function terminalLog(out: NodeJS.WritableStream): Writable {
  return new Writable({
    decodeStrings: false,
    write(line: string, _, done) {
      const record = JSON.parse(line) as Record<string, unknown> & { level: number; msg?: string };
      if (record.level >= WARN) out.write(`${inWords(record)}\n`);
      done();
    },
  });
}

function inWords({
  level,
  msg = '',
  ...rest
}: Record<string, unknown> & { level: number; msg?: string }): string {
  const details = Object.entries(rest)
    .filter(([name]) => !SURROUNDINGS.includes(name))
    .map(([name, value]) => `${name}=${textOf(value)}`);
  const word = level >= ERROR ? styleText('red', 'error') : styleText('yellow', 'warning');
  return [`${word}: ${msg}`, ...details].join(' ');
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return 'stack' in value ? String(value.stack) : JSON.stringify(value);
}
