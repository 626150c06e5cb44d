import { randomUUID } from 'node:crypto';
import { closeSync, linkSync, openSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

const PREFIX = 'tallycast.lock.';
const NUMBERED = /^tallycast\.lock\.(\d{1,15})$/;
/** Each try but the last met another starter in the same moment. */
const MAX_TRIES = 50;

/**
 * A lock on a folder, made of listening local sockets that lie in the folder itself: whoever reaches the folder finds them,
 * by whatever path and from whatever container, and the kernel closes them with their process, even on kill -9.
 *
 * The sockets are numbered, and the highest number decides: where it answers, the folder is taken; where it does not, its
 * process is gone, and the next number may be linked, which one starter alone can do. A socket listens before it is linked,
 * so no living one is ever taken for a dead one. The holder removes the lower numbers and leaves its own when it ends:
 * were the highest removed, a starter that had stopped half way could link a number that is used up.
 *
 * @returns undefined where a living process holds the folder
 * @throws Error (`NodeJS.ErrnoException`) where the folder takes no sockets
 */
export async function lockBySocket(directory: string): Promise<Server | undefined> {
  // Addresses of sockets hold about 100 bytes, which the path of a folder need not fit in.
  const folder = openSync(directory, 'r');
  const addressOf = (name: string) => `/proc/self/fd/${folder}/${name}`;
  const server = createServer(socket => socket.destroy());
  // Who cannot be accepted has learnt by the connection alone that this process lives.
  server.on('error', () => {});
  try {
    const unlinked = `${PREFIX}${randomUUID()}`;
    await listen(server, addressOf(unlinked));
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const highest = highestNumber(directory);
      if (highest > 0 && (await answers(addressOf(PREFIX + highest)))) break;
      if (!link(directory, unlinked, highest + 1)) continue;
      if (highestNumber(directory) > highest + 1) continue;
      removeAllBut(directory, PREFIX + (highest + 1));
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

function listen(server: Server, path: string): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    // A process of another user must be able to ask, too.
    server.listen({ path, exclusive: true, writableAll: true }, () => {
      server.off('error', fail);
      done();
    });
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise(done => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    // Whatever else is wrong, its process may live.
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      done(code !== 'ECONNREFUSED' && code !== 'ENOENT'),
    );
  });
}

/** @returns false where another starter was faster */
function link(directory: string, unlinked: string, number: number): boolean {
  try {
    linkSync(join(directory, unlinked), join(directory, PREFIX + number));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The holder removes whatever is not its own.
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    throw error;
  }
}

/** Read until two readings agree: a listing may miss what is linked while it is taken. */
function highestNumber(directory: string): number {
  let seen = -1;
  while (true) {
    const numbers = readdirSync(directory).map(name => Number(NUMBERED.exec(name)?.[1] ?? 0));
    const highest = Math.max(0, ...numbers);
    if (highest === seen) return highest;
    seen = highest;
  }
}

function removeAllBut(directory: string, kept: string): void {
  for (const name of readdirSync(directory))
    if (name.startsWith(PREFIX) && name !== kept) rmSync(join(directory, name), { force: true });
}
