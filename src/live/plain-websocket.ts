import WebSocket from 'ws';
import { type CloseEvent, MessageTooBig, TooMany } from '../protocol/close-event.ts';
import type { Frame } from './frame.ts';
import { websocketPayload } from './websocket-bytes.ts';
import { PROTOCOL_ERROR_REASON, type WebsocketOwner, type WebsocketWire } from './websocket-wire.ts';

const UNSUPPORTED_DATA = 1003;
/** What `ws` says of too many fragments; they are a message too big. */
const POLICY_VIOLATION = 1008;
/** How long the other side may take to answer a close. */
const CLOSE_TIMEOUT_MS = 2_000;

/** A WebSocket by what `ws` and Node document and nothing else: larger and slower than the lean one, and always at hand. */
export class PlainWebSocket extends WebSocket implements WebsocketWire {
  owner: WebsocketOwner | undefined;
  #sending = 0;
  #onFree: (() => void)[] = [];

  constructor(address: null, protocols?: string | string[], options?: WebSocket.ClientOptions) {
    // The types know the class of a client only.
    super(address as never, protocols, options);
    this.on('message', (data, isBinary) => this.#hear(data, isBinary));
    this.on('ping', payload => {
      // Who pings without reading the answers gets none.
      if (this.#isOpen && this.owner?.control() && this.bufferedAmount === 0) this.pong(payload);
    });
    this.on('pong', () => this.#isOpen && this.owner?.control());
    this.on('error', () => {});
    this.on('close', () => {
      this.owner?.closed();
      this.owner = undefined;
    });
  }

  write(frame: Frame): boolean {
    if (!this.#isOpen) return true;
    this.#sending += 1;
    this.send(websocketPayload(frame.websocket), { binary: false }, () => this.#sent());
    return this.bufferedAmount === 0;
  }

  whenFree(callback: () => void): void {
    if (this.#sending === 0) setImmediate(callback);
    else this.#onFree.push(callback);
  }

  probe(): void {
    if (this.#isOpen) this.ping();
  }

  farewell(event: CloseEvent): void {
    this.close(event.code, event.reason);
    // Who floods is not read to the end.
    if (event === TooMany) this.pause();
  }

  /** Also called by `ws` itself where the other side broke a rule: with the code, and no reason. */
  override close(code?: number, reason?: string | Buffer): void {
    if (this.readyState !== WebSocket.OPEN) {
      super.close(code, reason);
      return;
    }
    setTimeout(() => this.terminate(), CLOSE_TIMEOUT_MS).unref();
    if (code === MessageTooBig.code || code === POLICY_VIOLATION)
      super.close(MessageTooBig.code, MessageTooBig.reason);
    else if (code === 1002 || code === 1007) super.close(code, PROTOCOL_ERROR_REASON);
    else super.close(code ?? 1000, reason);
  }

  get #isOpen(): boolean {
    return this.readyState === WebSocket.OPEN;
  }

  #hear(data: WebSocket.RawData, isBinary: boolean): void {
    if (!this.#isOpen) return;
    if (isBinary) this.close(UNSUPPORTED_DATA, PROTOCOL_ERROR_REASON);
    else this.owner?.text(data.toString());
  }

  #sent(): void {
    this.#sending -= 1;
    if (this.#sending > 0) return;
    for (const callback of this.#onFree.splice(0)) callback();
  }
}
