import type { Wire } from './connection.ts';

/** What the owner of a WebSocket hears of it. */
export interface WebsocketOwner {
  text(text: string): void;
  /** A ping or a pong. @returns false where it was one too many: the connection ends */
  control(): boolean;
  closed(): void;
}

/** A WebSocket that has shaken hands, lean or plain. */
export interface WebsocketWire extends Wire {
  owner: WebsocketOwner | undefined;
}

/** Clients of ours send a subscription at most. */
export const MAX_MESSAGE_BYTES = 4_096;
export const MAX_FRAGMENTS = 16;
/** Pieces in which the bytes of a message come, each of which takes 200 bytes: a network cuts one into three, an attacker into 4,096. */
export const MAX_CHUNKS = 64;

/** Reason of every close for a broken rule of RFC 6455. */
export const PROTOCOL_ERROR_REASON = 'protocol error';
