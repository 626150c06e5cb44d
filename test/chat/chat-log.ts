import type { ChatListener, ChatMessage } from '../../src/chat/chat-source.ts';

/** Remembers what a source of chats tells. */
export class ChatLog implements ChatListener {
  readonly messages: ChatMessage[] = [];
  readonly deletions: string[] = [];
  readonly bans: string[] = [];
  readonly states: string[] = [];

  message(message: ChatMessage): void {
    this.messages.push(message);
  }

  deleted(channel: string, messageId: string): void {
    this.deletions.push(`${channel} ${messageId}`);
  }

  banned(channel: string, userId: string): void {
    this.bans.push(`${channel} ${userId}`);
  }

  state(channel: string, state: string, fault?: string): void {
    this.states.push([channel, state, fault].filter(Boolean).join(' '));
  }

  get texts(): string[] {
    return this.messages.map(({ text }) => text);
  }
}
