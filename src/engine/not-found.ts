import type { PollId, Reading } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { originOfTwin } from '../poll/rehearsal.ts';
import type { EventLog, Polls } from './engine.ts';

interface Deletions {
  readonly events: Pick<EventLog, 'wasDeleted'>;
}

/** Whether what is not there was deleted. A twin goes with its poll. @param subject as in `EventLog` */
export function wasDeleted({ events }: Deletions, subject: string): Promise<boolean> {
  return events.wasDeleted(originOfTwin(subject) ?? subject);
}

/** Returns the error for a poll or a show that is not there. @param subject as in `EventLog` */
export async function notFound(
  engine: Deletions,
  code: 'poll_not_found' | 'show_not_found',
  subject: string,
): Promise<PollError> {
  return new PollError(code, { deleted: await wasDeleted(engine, subject) });
}

/** Returns undefined for a poll that is not there and was not deleted: the engine may have lost it, and get it back. */
export async function findUnlessDeleted(
  engine: Deletions & { readonly polls: Pick<Polls, 'find'> },
  id: PollId,
): Promise<Reading | 'deleted' | undefined> {
  return (await engine.polls.find(id)) ?? ((await wasDeleted(engine, id)) ? 'deleted' : undefined);
}
