import type { ClientMessage, ServerMessage } from '../protocol/messages.ts';
import type { Way } from './channel.ts';
import type { Clock } from './clock.ts';
import { farewellPauseMs } from './connection.ts';
import { refusalOfClose } from './refusal.ts';

/** The part of a WebSocket that is used: the browser's, the one of Node 22 and newer, and that of the package `ws` fit. */
export interface WebSocketLike {
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  addEventListener(
    type: 'open' | 'message' | 'close' | 'error',
    listener: (event: SocketEvent) => void,
  ): void;
}

interface SocketEvent {
  readonly type: string;
  /** Of a message. */
  readonly data?: unknown;
  /** Of a close. */
  readonly code?: number;
}

export type WebSocketConstructor = new (url: string) => WebSocketLike;

const OPEN = 1;

export interface SocketWayOptions {
  readonly WebSocket: WebSocketConstructor;
  readonly clock: Clock;
  /** Asked anew on each attempt: http or https. */
  url(): string;
  /** What to say on opening. */
  hello(): readonly ClientMessage[];
}

export function socketWay({ WebSocket, clock, url, hello }: SocketWayOptions): Way {
  return {
    via: 'websocket',
    open({ onMessage, onEnd }) {
      const socket = create(WebSocket, url().replace(/^http/, 'ws'));
      if (!socket) {
        queueMicrotask(() => onEnd({ reason: 'this page may not open a WebSocket' }));
        return { send: () => {}, close: () => {} };
      }
      const send = (message: ClientMessage): void => {
        if (socket.readyState === OPEN) socket.send(JSON.stringify(message));
      };
      socket.addEventListener('open', () => {
        for (const message of hello()) send(message);
      });
      socket.addEventListener('message', ({ data }) => {
        const message = parseMessage(data);
        if (message) onMessage(message);
      });
      const end = ({ type, code }: SocketEvent): void => {
        const pauseMs = farewellPauseMs(code, clock.random());
        onEnd({ refusal: refusalOfClose(code), pauseMs, reason: `WebSocket ${code ?? type}` });
      };
      socket.addEventListener('close', end);
      // No close follows where a browser's policy forbids the connection; where one does, it says no more than this.
      socket.addEventListener('error', end);
      return { send, close: () => socket.close() };
    },
  };
}

/** A browser throws where the page's own policy forbids the connection. */
function create(WebSocket: WebSocketConstructor, url: string): WebSocketLike | undefined {
  try {
    return new WebSocket(url);
  } catch {
    return undefined;
  }
}

/** What is not understood is passed over: a newer relay may say more. */
export function parseMessage(data: unknown): ServerMessage | undefined {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}
