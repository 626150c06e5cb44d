import { connect, type Socket } from 'node:net';

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const LENGTH = Buffer.from('\r\ncontent-length: ');

/** One keep-alive connection that asks one thing at a time: enough of HTTP/1.1 to count replies, and no more. */
export class HttpSocket {
  readonly #tcp: Socket;
  #held: Buffer | undefined;
  #settle: ((reply: Buffer | undefined) => void) | undefined;

  constructor(port: number) {
    this.#tcp = connect(port, '127.0.0.1').setNoDelay(true);
    this.#tcp.on('data', data => this.#read(data));
    this.#tcp.on('error', () => {});
    this.#tcp.once('close', () => this.#finish(undefined));
  }

  /** @param request as it goes on the wire @returns head and body; undefined where the connection has ended */
  ask(request: string): Promise<Buffer | undefined> {
    if (this.#tcp.destroyed) return Promise.resolve(undefined);
    this.#tcp.write(request, 'latin1');
    return new Promise(settle => {
      this.#settle = settle;
    });
  }

  close(): void {
    this.#tcp.resetAndDestroy();
  }

  #read(data: Buffer): void {
    const bytes = this.#held ? Buffer.concat([this.#held, data]) : data;
    const head = bytes.indexOf(END_OF_HEAD);
    const body = head + END_OF_HEAD.length;
    if (head < 0 || bytes.length < body + contentLength(bytes, head)) {
      this.#held = bytes;
      return;
    }
    this.#held = undefined;
    this.#finish(bytes);
  }

  #finish(reply: Buffer | undefined): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(reply);
  }
}

function contentLength(bytes: Buffer, head: number): number {
  const at = bytes.indexOf(LENGTH);
  if (at < 0 || at > head) return 0;
  return Number.parseInt(bytes.toString('latin1', at + LENGTH.length, at + LENGTH.length + 10), 10);
}
