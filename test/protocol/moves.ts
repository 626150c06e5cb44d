import type { ServerMessage } from '../../src/protocol/messages.ts';
import type { LiveClient } from '../support/live-client.ts';
import type { Subject } from './target.ts';

/** The members of a poll that ends so many milliseconds from now. */
export function deadlineIn(ms: number): { has_deadline: true; deadline: string } {
  return { has_deadline: true, deadline: new Date(Date.now() + ms).toISOString() };
}

/** The first messages, as soon as there are so many. */
export async function messagesUntil(client: LiveClient, count: number): Promise<readonly ServerMessage[]> {
  await client.until(() => client.messages.length >= count, `${count} messages`);
  return client.messages.slice(0, count);
}

/** Casts one ballot after the other until told to stop, or until the poll takes no more. */
export function keepCasting(
  subject: Subject,
  id: string,
): { acknowledged(): number; stop(): Promise<number> } {
  let acknowledged = 0;
  let going = true;
  const casting = (async () => {
    while (going) {
      const isOpen = await subject.cast(id).then(
        () => true,
        (error: Error) => {
          if (!error.message.includes('poll_closed')) throw error;
          return false;
        },
      );
      if (!isOpen) return;
      acknowledged += 1;
    }
  })();
  // `stop` reports it: without a handler before, it would be an error of the whole run.
  casting.catch(() => {});
  return {
    acknowledged: () => acknowledged,
    async stop() {
      going = false;
      await casting;
      return acknowledged;
    },
  };
}
