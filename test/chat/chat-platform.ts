import type { ChatListener, ChatSource } from '../../src/chat/chat-source.ts';
import type { ChatPlatform } from '../../src/poll/chat-platform.ts';

export interface Said {
  readonly userId: string;
  readonly text: string;
  /** By the platform's clock; default now. */
  readonly atMs?: number | undefined;
  readonly messageId?: string | undefined;
}

/** A local server that behaves as the platform does, and the real client for it. */
export interface TestPlatform {
  readonly platform: ChatPlatform;
  /** As a show links it. */
  readonly channel: string;
  /** Opens a client, several at once if needed. */
  open(listener: ChatListener): ChatSource;
  /** Whether so many clients read the channel. */
  isRead(clients?: number): boolean;
  /** @returns the message's id */
  say(said: Said): string;
  /** Undefined if the platform tells no deletions. */
  delete?: ((messageId: string) => void) | undefined;
  ban(userId: string): void;
  /** Drops every connection; undefined if there are none. */
  drop?: (() => void) | undefined;
  /** Asks every client to connect anew, and closes its connection after a while; undefined if the platform does not. */
  reconnect?: (() => Promise<void>) | undefined;
  /** Drops every connection and takes no new one. */
  stop?: (() => Promise<void>) | undefined;
  start?: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}
