import type { Engine } from '../engine/engine.ts';
import { CommandFailure } from './command-failure.ts';

/**
 * Works on the engine of the server whose settings this process has, whether that server runs or not: no relay is asked, so what
 * may be read and written is for the operating system, or for Redis, to say.
 *
 * @throws CommandFailure where it cannot be opened, or what is done with it fails
 */
export async function withOwnEngine<T>(
  access: 'read' | 'write',
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const [{ readConfig }, { openConfiguredEngine }] = await Promise.all([
    import('../start/config.ts'),
    import('../start/start-servers.ts'),
  ]);
  const config = readConfig();
  try {
    const engine = await openConfiguredEngine(config, () => {}, access);
    try {
      return await work(engine);
    } finally {
      await engine.close();
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
