import { formatTime } from './input-rules.ts';
import { type ANSWER_ORDERS, choicesOf, type Poll, publicFlags, toStoredPoll } from './poll.ts';
import { questionImage } from './rehearsal.ts';

/** Members of a poll as they were written, beside its results. */

/**
 * What a front end needs for its form. Fixed at creation or changed by corrections alone, so they
 * tell nothing of the ballots.
 */
export function publicMembers(poll: Poll) {
  const [min_choices, max_choices] = choicesOf(poll);
  const { description } = poll;
  const answer_order: (typeof ANSWER_ORDERS)[number] = poll.answerOrder ?? 'given';
  return { description, ...publicFlags(poll.settings), min_choices, max_choices, answer_order };
}

/** For keys that manage the poll, and operators. */
export function writtenMembers(poll: Poll) {
  // Results have the code itself.
  const { join_code: _, ...settings } = toStoredPoll(poll).settings;
  return {
    ...publicMembers(poll),
    ...settings,
    chat: poll.chat ?? true,
    image: questionImage(poll),
    image_focus: poll.imageFocus,
    created_at: formatTime(poll.createdAtMs),
    show: poll.show?.name ?? null,
  };
}
