import type { Engine, Migration } from '../engine/engine.ts';
import { CommandFailure } from './terminal.ts';

/** Opens the engine in the settings of the server, which may be running. @throws CommandFailure if opening or `work` fails */
export function withOwnEngine<T>(access: 'read' | 'write', work: (engine: Engine) => Promise<T>): Promise<T> {
  return withOpened(async () => {
    const { openConfiguredEngine } = await import('../start/config.ts');
    return openConfiguredEngine((await import('../start/config.ts')).readConfig(), () => {}, access);
  }, work);
}

/** The same for data in an older format. @param work gets undefined if there is nothing to convert */
export function withOwnMigration<T>(work: (migration: Migration | undefined) => Promise<T>): Promise<T> {
  return withOpened(async () => {
    const { openMigration } = await import('../engine/open-engine.ts');
    const { engineOptions } = await import('../start/config.ts');
    return openMigration(engineOptions((await import('../start/config.ts')).readConfig()));
  }, work);
}

async function withOpened<Opened extends { close(): Promise<void> } | undefined, T>(
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
    if (!(error instanceof Error) || error instanceof CommandFailure) throw error;
    const { message, cause } = error;
    const reason = cause instanceof Error && !message.includes(cause.message) ? ` (${cause.message})` : '';
    throw new CommandFailure(message + reason);
  }
}
