import { type Level, type Logger, pino } from 'pino';

/** A logger, and the lines of JSON that it has written. */
export function logLines(level: Level = 'info'): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  return { logger: pino({ level }, { write: line => void lines.push(line) }), lines };
}
