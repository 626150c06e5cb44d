import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, linkSync, openSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

const O_EXLOCK = 0x20;

/**
 * Allows one process for a data directory: hints do not reach other processes, so a second one
 * would show old counts. Holds for all processes of one machine by any path or container, not for
 * two machines with a network file system.
 *
 * The system must release the lock with its process, even after kill -9. A pid does not (in a
 * container every process is pid 1), neither does the age of a file, and Node cannot lock a file on
 * Linux.
 */
export interface DataLock {
  release(): Promise<void>;
}

/** @returns undefined if another process has it @throws Error (`NodeJS.ErrnoException`) if it cannot be written */
export async function lockDataDirectory(directory: string): Promise<DataLock | undefined> {
  if (process.platform === 'darwin' || process.platform.endsWith('bsd')) return lockByFile(directory);
  const server = process.platform === 'win32' ? await lockByPipe(directory) : await lockBySocket(directory);
  return server && { release: () => new Promise(done => server.close(() => done())) };
}

function lockByPipe(directory: string): Promise<Server | undefined> {
  const name = createHash('sha256').update(realpathSync.native(directory)).digest('hex').slice(0, 24);
  const server = createServer(socket => socket.destroy());
  return new Promise((done, fail) => {
    server.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? done(undefined) : fail(error),
    );
    const path = `\\\\.\\pipe\\tallycast-${name}`;
    server.listen({ path, exclusive: true }, () => done(server.unref()));
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

const PREFIX = 'tallycast.lock.';
const NUMBERED = /^tallycast\.lock\.(\d{1,15})$/;
/** Every try but the last collided with another start. */
const MAX_TRIES = 50;

/**
 * Locks a folder by numbered local sockets in it, which are found by any path and from any
 * container, and which the kernel closes with their process.
 *
 * The highest number decides: if it answers, the folder is taken; if not, its process is gone, and
 * only one starter can link the next number. A socket listens before it is linked, so a living one
 * always answers. The owner removes lower numbers and keeps its own when it ends: otherwise a
 * starter that had stopped half way could link a used number.
 *
 * @returns undefined if a living process has the folder
 * @throws Error (`NodeJS.ErrnoException`) if the folder allows no sockets
 */
async function lockBySocket(directory: string): Promise<Server | undefined> {
  // Addresses of sockets are limited to about 100 bytes, and the folder's path may be longer.
  const folder = openSync(directory, 'r');
  const addressOf = (name: string) => `/proc/self/fd/${folder}/${name}`;
  const server = createServer(socket => socket.destroy());
  // A connection that cannot be accepted has already shown that this process lives.
  server.on('error', () => {});
  try {
    const unlinked = `${PREFIX}${randomUUID()}`;
    // Writable, so that a process of another user can connect.
    await once(server.listen({ path: addressOf(unlinked), exclusive: true, writableAll: true }), 'listening');
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const highest = highestNumber(directory);
      if (highest > 0 && (await answers(addressOf(PREFIX + highest)))) break;
      if (!link(directory, unlinked, highest + 1)) continue;
      if (highestNumber(directory) > highest + 1) continue;
      for (const name of readdirSync(directory))
        if (name.startsWith(PREFIX) && name !== PREFIX + (highest + 1))
          rmSync(join(directory, name), { force: true });
      return server.unref();
    }
    rmSync(join(directory, unlinked), { force: true });
  } catch (error) {
    server.close();
    throw error;
  } finally {
    closeSync(folder);
  }
  server.close();
  return undefined;
}

function answers(path: string): Promise<boolean> {
  return new Promise(done => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    // After any other error its process may live.
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      done(code !== 'ECONNREFUSED' && code !== 'ENOENT'),
    );
  });
}

function link(directory: string, unlinked: string, number: number): boolean {
  try {
    linkSync(join(directory, unlinked), join(directory, PREFIX + number));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENOENT: the owner has removed our socket.
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    throw error;
  }
}

/** Reads until two listings agree: one may miss a link made meanwhile. */
function highestNumber(directory: string): number {
  let seen = -1;
  while (true) {
    const numbers = readdirSync(directory).map(name => Number(NUMBERED.exec(name)?.[1] ?? 0));
    const highest = Math.max(0, ...numbers);
    if (highest === seen) return highest;
    seen = highest;
  }
}
