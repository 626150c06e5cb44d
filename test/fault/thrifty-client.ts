import { connect, type Socket } from 'node:net';
import { upgradeRequest } from '../support/raw-socket.ts';

/** More than the longest message of the scenarios that use it. */
const TAIL_CHARACTERS = 64_000;

/**
 * A WebSocket of which thousands fit into a test: it reads, keeps the end of what came, and parses
 * nothing until asked.
 */
export class ThriftyClient {
  readonly socket: Socket;
  bytes = 0;
  isClosed = false;
  #tail = '';

  constructor(url: string, path: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.on('data', data => {
      this.bytes += data.length;
      this.#tail = (this.#tail + data.toString('latin1')).slice(-TAIL_CHARACTERS);
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    this.socket.write(upgradeRequest(path));
  }

  /** Votes in all, as the last message says that came whole; undefined before the first. */
  get total(): number | undefined {
    const found = /^.*"total_votes":(\d+)[,}]/s.exec(this.#tail)?.[1];
    return found === undefined ? undefined : Number(found);
  }

  /** RST, as a machine does that lost its power and came back. */
  reset(): void {
    this.socket.resetAndDestroy();
  }
}
