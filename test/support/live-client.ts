import WebSocket from 'ws';
import type { ServerMessage } from '../../src/protocol/messages.ts';

/** Long, for a busy machine: only what fails waits for all of it. */
const PATIENCE_MS = 60_000;

/** A WebSocket that keeps every message, so that none is missed between two waits. */
export class LiveClient {
  readonly messages: ServerMessage[] = [];
  /** Monotonic milliseconds at which each message came. */
  readonly times: number[] = [];
  readonly socket: WebSocket;
  closed: { code: number; reason: string } | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(url: string, headers: Record<string, string> = {}) {
    this.socket = new WebSocket(url, { headers });
    this.socket.on('open', () => this.#wake());
    this.socket.on('message', data => {
      this.messages.push(JSON.parse(data.toString()));
      this.times.push(performance.now());
      this.#wake();
    });
    this.socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      this.#wake();
    });
    this.socket.on('error', () => {});
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<LiveClient> {
    const client = new LiveClient(url, headers);
    await client.until(() => client.socket.readyState !== WebSocket.CONNECTING, 'the socket to open');
    return client;
  }

  get last(): ServerMessage | undefined {
    return this.messages.at(-1);
  }

  of<T extends ServerMessage['type']>(type: T): Extract<ServerMessage, { type: T }>[] {
    return this.messages.filter(
      (message): message is Extract<ServerMessage, { type: T }> => message.type === type,
    );
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Waits for a message that satisfies the test, those that have come included. */
  async message(test: (message: ServerMessage) => boolean, what = 'a message'): Promise<ServerMessage> {
    await this.until(() => this.messages.some(test), what);
    return this.messages.find(test) as ServerMessage;
  }

  async results(total: number): Promise<void> {
    await this.message(
      message => message.type === 'results' && message.total_votes === total,
      `${total} votes`,
    );
  }

  async end(): Promise<{ code: number; reason: string }> {
    await this.until(() => this.closed !== undefined, 'the close');
    return this.closed as { code: number; reason: string };
  }

  close(): void {
    this.socket.terminate();
  }

  async until(condition: () => boolean, what: string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!condition()) {
      if (performance.now() > deadline)
        throw new Error(
          `waited in vain for ${what}; came: ${JSON.stringify(this.messages.slice(-3))} ${JSON.stringify(this.closed)}`,
        );
      await new Promise<void>(done => {
        const timer = setTimeout(done, 100);
        this.#waiting.add(() => {
          clearTimeout(timer);
          done();
        });
      });
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
