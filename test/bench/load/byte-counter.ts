import { connect, type Socket } from 'node:net';
import { pause } from '../system/clock.ts';

/** Longer than a relay takes to send something a second time. */
const QUIET_MS = 400;

/** A TCP connection that asks for one thing and counts what comes. */
export class ByteCounter {
  bytes = 0;
  readonly #tcp: Socket;

  constructor(port: number, request: string) {
    this.#tcp = connect(port, '127.0.0.1', () => this.#tcp.write(request));
    this.#tcp.on('data', data => {
      this.bytes += data.length;
    });
    this.#tcp.on('error', () => {});
  }

  /** How much more comes from now on, once something came and then nothing for a while. */
  async next(): Promise<number> {
    const before = this.bytes;
    let held = before;
    do {
      held = this.bytes;
      await pause(QUIET_MS);
    } while (this.bytes === before || this.bytes !== held);
    return held - before;
  }

  close(): void {
    this.#tcp.destroy();
  }
}
