import { createHash } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * One process at a time may use a data directory: hints do not cross processes here, so a second one would show old
 * counts. The lock is a listening local socket and not a file with a pid, because the system ends it with the process,
 * even on kill -9, and in a container every process is pid 1.
 */
export class DataLock {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @throws Error where another process holds the directory */
  static async take(directory: string): Promise<DataLock> {
    const path = lockPath(directory);
    const server = await listen(path);
    if (server) return new DataLock(server);
    if (await answers(path)) throw new Error(`another process is using ${resolve(directory)}`);
    unlinkSync(path);
    const second = await listen(path);
    if (!second) throw new Error(`another process is using ${resolve(directory)}`);
    return new DataLock(second);
  }

  release(): Promise<void> {
    return new Promise(done => this.#server.close(() => done()));
  }
}

/** The path of a local socket must fit in about 100 bytes, which a data directory need not. */
function lockPath(directory: string): string {
  const name = createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 24);
  return process.platform === 'win32'
    ? `\\\\.\\pipe\\tallycast-${name}`
    : join(tmpdir(), `tallycast-${name}.lock`);
}

function listen(path: string): Promise<Server | undefined> {
  return new Promise((done, fail) => {
    const server = createServer(socket => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? done(undefined) : fail(error),
    );
    server.listen(path, () => {
      server.unref();
      done(server);
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
    socket.once('error', () => done(false));
  });
}
