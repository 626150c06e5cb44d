import { formatTime } from './input-rules.ts';
import { type Poll, toStoredPoll } from './poll.ts';

/** Members of a poll as they were written, beside its results. */

export function publicMembers(poll: Poll) {
  const { allowMultiple, isVerifiable } = poll.settings;
  return { description: poll.description, ma: allowMultiple, verifiable: isVerifiable };
}

/** For keys that manage the poll, and operators. */
export function writtenMembers(poll: Poll) {
  return {
    ...publicMembers(poll),
    ...toStoredPoll(poll).settings,
    image: poll.image,
    created_at: formatTime(poll.createdAtMs),
    show: poll.show?.name ?? null,
  };
}
