import type { ServerMessage } from '../../src/protocol/messages.ts';
import type { LiveClient } from '../support/live-client.ts';

/** The members of a poll that ends so many milliseconds from now. */
export function deadlineIn(ms: number): { has_deadline: true; deadline: string } {
  return { has_deadline: true, deadline: new Date(Date.now() + ms).toISOString() };
}

/** The first messages, as soon as there are so many. */
export async function messagesUntil(client: LiveClient, count: number): Promise<readonly ServerMessage[]> {
  await client.until(() => client.messages.length >= count, `${count} messages`);
  return client.messages.slice(0, count);
}
