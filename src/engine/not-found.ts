import { PollError } from '../poll/poll-error.ts';
import { originOfTwin } from '../poll/rehearsal.ts';
import type { EventLog } from './engine.ts';

/** Returns the error for a poll or a show that is not there. @param subject as in `EventLog` */
export async function notFound(
  { events }: { readonly events: Pick<EventLog, 'wasDeleted'> },
  code: 'poll_not_found' | 'show_not_found',
  subject: string,
): Promise<PollError> {
  return new PollError(code, { deleted: await events.wasDeleted(originOfTwin(subject) ?? subject) });
}
