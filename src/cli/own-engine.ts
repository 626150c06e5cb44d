import type { Migration } from '../engine/archive.ts';
import type { Engine } from '../engine/engine.ts';
import { CommandFailure } from './terminal.ts';

/**
 * Works on the engine of the server whose settings this process has, whether that server runs or not: no relay is asked, so what
 * may be read and written is for the operating system, or for Redis, to say.
 *
 * @throws CommandFailure where it cannot be opened, or what is done with it fails
 */
export function withOwnEngine<T>(access: 'read' | 'write', work: (engine: Engine) => Promise<T>): Promise<T> {
  return withOwn(async () => {
    const { openConfiguredEngine } = await import('../start/options.ts');
    return openConfiguredEngine((await import('../start/config.ts')).readConfig(), () => {}, access);
  }, work);
}

/** The same for data of an older format. @param work gets undefined where there is nothing to convert */
export function withOwnMigration<T>(work: (migration: Migration | undefined) => Promise<T>): Promise<T> {
  return withOwn(async () => {
    const { openMigration } = await import('../engine/open-engine.ts');
    const { engineOptions } = await import('../start/options.ts');
    return openMigration(engineOptions((await import('../start/config.ts')).readConfig()));
  }, work);
}

async function withOwn<Opened extends { close(): Promise<void> } | undefined, T>(
  open: () => Promise<Opened>,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  try {
    const opened = await open();
    try {
      return await work(opened);
    } finally {
      await opened?.close();
    }
  } catch (error) {
    throw error instanceof Error && !(error instanceof CommandFailure) ? failure(error) : error;
  }
}

function failure(error: Error): CommandFailure {
  const { cause } = error;
  const reason =
    cause instanceof Error && !error.message.includes(cause.message) ? ` (${cause.message})` : '';
  return new CommandFailure(error.message + reason);
}
