import { PollError } from '../poll/poll-error.ts';
import { originOfTwin } from '../poll/rehearsal.ts';
import type { Engine } from './engine.ts';

/** Returns the error for a poll or a show that is not there. @param subject as in `EventLog` */
export async function notFound(
  { events }: Pick<Engine, 'events'>,
  code: 'poll_not_found' | 'show_not_found',
  subject: string,
): Promise<PollError> {
  return new PollError(code, { deleted: await events.wasDeleted(originOfTwin(subject) ?? subject) });
}
