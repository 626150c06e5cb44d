import { formatTime } from './input-rules.ts';
import { type Poll, publicFlags, toStoredPoll } from './poll.ts';

/** Members of a poll as they were written, beside its results. */

/** What a front end needs for its form. Fixed at creation or changed by corrections alone, so they tell nothing of the ballots. */
export function publicMembers(poll: Poll) {
  return { description: poll.description, ...publicFlags(poll.settings) };
}

/** For keys that manage the poll, and operators. */
export function writtenMembers(poll: Poll) {
  return {
    ...publicMembers(poll),
    ...toStoredPoll(poll).settings,
    chat: poll.chat ?? true,
    image: poll.image,
    created_at: formatTime(poll.createdAtMs),
    show: poll.show?.name ?? null,
  };
}
