import type { Engine } from '../engine/engine.ts';
import { CommandFailure } from './terminal.ts';

/**
 * Opens the engine in the settings of the server, which may be running.
 *
 * @throws CommandFailure if opening or `work` fails
 */
export async function withOwnEngine<T>(
  access: 'read' | 'write',
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  try {
    const { openConfiguredEngine, readConfig } = await import('../start/config.ts');
    const engine = await openConfiguredEngine(readConfig(), () => {}, access);
    try {
      return await work(engine);
    } finally {
      await engine.close();
    }
  } catch (error) {
    if (!(error instanceof Error) || error instanceof CommandFailure) throw error;
    const { message, cause } = error;
    const reason = cause instanceof Error && !message.includes(cause.message) ? ` (${cause.message})` : '';
    throw new CommandFailure(message + reason);
  }
}
