import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { lockBySocket } from './socket-lock.ts';

/** As BSD systems and macOS number it; Node does not name it. */
const O_EXLOCK = 0x20;

/**
 * One process at a time may use a data directory: hints do not cross processes here, so a second one would show old
 * counts. Promised of all processes on one machine, whatever path or container they come by; not promised of two
 * machines that share a network file system, on which LMDB must not be used at all.
 *
 * The system itself must end the lock with its process, even on kill -9, so neither a pid (in a container every process
 * is pid 1) nor a file whose age is looked at will do, and Node cannot lock a file on Linux.
 */
export interface DataLock {
  release(): Promise<void>;
}

/**
 * @param directory must exist
 * @returns undefined where another process holds it
 * @throws Error (`NodeJS.ErrnoException`) where it cannot be written
 */
export async function lockDataDirectory(directory: string): Promise<DataLock | undefined> {
  if (process.platform === 'win32') return lockByPipe(directory);
  if (process.platform === 'darwin' || process.platform.endsWith('bsd')) return lockByFile(directory);
  const server = await lockBySocket(directory);
  return server && { release: () => new Promise(done => server.close(() => done())) };
}

/** On Windows the first of a name is the only one, and it goes with its process. */
function lockByPipe(directory: string): Promise<DataLock | undefined> {
  const name = createHash('sha256').update(realpathSync.native(directory)).digest('hex').slice(0, 24);
  const server = createServer(socket => socket.destroy());
  return new Promise((done, fail) => {
    server.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? done(undefined) : fail(error),
    );
    server.listen({ path: `\\\\.\\pipe\\tallycast-${name}`, exclusive: true }, () => {
      server.unref();
      done({ release: () => new Promise(released => server.close(() => released())) });
    });
  });
}

function lockByFile(directory: string): DataLock | undefined {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK;
  try {
    const file = openSync(join(directory, 'tallycast.lock'), flags);
    return { release: async () => closeSync(file) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}
