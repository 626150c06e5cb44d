import { formatTime } from './input-rules.ts';
import { IMAGE_FILE, type PollNow, type Reading, toStoredPoll } from './poll.ts';
import { PollError } from './poll-error.ts';

/** The files of the images that a copy takes over. */
export interface CopiedImages {
  /** That of the question. */
  readonly image: string | null;
  /** By its answers. Other answers have none. */
  readonly images: readonly (string | null)[];
}

export function imagesOfCopy({ poll }: Pick<Reading, 'poll'>, given: PollCopy = {}): CopiedImages {
  const isStored = poll.image !== null && IMAGE_FILE.test(poll.image) && !Object.hasOwn(given, 'image');
  return {
    image: isStored ? poll.image : null,
    images: Object.hasOwn(given, 'answers') ? [] : poll.answers.map(({ image }) => image ?? null),
  };
}

/** The `poll` of a request that creates a copy. */
export type PollCopy = Readonly<Record<string, unknown>>;

/**
 * Copies what the creator decided: texts, settings and how the poll was prepared, which opening and
 * revealing have changed since. A fixed deadline is left out once it has passed.
 *
 * @param given members of the request, which replace those of the original
 * @throws PollError `deadline_missing`
 */
export function copyPoll({ poll, results }: PollNow, given: PollCopy = {}): PollCopy {
  const { title, description, answers, image, imageFocus, settings, minChoices, maxChoices, ...rest } =
    toStoredPoll(poll);
  const { answerOrder, chat } = rest;
  const isUpcoming = results.status === 'upcoming';
  const { closesInMs } = isUpcoming ? results : (poll.initial ?? {});
  const prepared = isUpcoming ? undefined : poll.initial?.resultsVisibility;
  const visibility = prepared ?? results.resultsVisibility;
  const end = Object.hasOwn(given, 'deadline') || Object.hasOwn(given, 'closes_in') ? given : endOfCopy();
  const hasEnd = (end['deadline'] ?? end['closes_in'] ?? null) !== null;
  if (given['results_visibility'] === 'after_deadline' && !hasEnd)
    throw new PollError('deadline_missing', {
      issues: [{ path: 'poll.results_visibility', message: 'after_deadline needs a deadline' }],
    });
  return {
    title,
    description,
    answers: answers.map(({ text, color, imageFocus }) => ({
      answer: text,
      ...(color !== undefined && { color }),
      ...(imageFocus && { image_focus: imageFocus }),
    })),
    // A stored image is no part of a request.
    image: image !== null && IMAGE_FILE.test(image) ? null : image,
    ...(imageFocus && !Object.hasOwn(given, 'image') && { image_focus: imageFocus }),
    ...settings,
    min_choices: minChoices ?? null,
    max_choices: maxChoices ?? null,
    answer_order: answerOrder ?? 'given',
    chat: chat ?? true,
    status: 'upcoming',
    // Without a deadline `after_deadline` would never end.
    results_visibility: visibility === 'after_deadline' && !hasEnd ? 'hidden' : visibility,
    ...end,
    ...given,
    ...((given['verifiable'] ?? settings.verifiable) || { show_log_size: false }),
    ...((given['ma'] ?? settings.ma) || { min_choices: null, max_choices: null }),
  };

  function endOfCopy(): PollCopy {
    if (closesInMs !== undefined) return { closes_in: closesInMs / 1000 };
    const { deadlineMs, readAtMs } = results;
    return deadlineMs !== null && deadlineMs > readAtMs ? { deadline: formatTime(deadlineMs) } : {};
  }
}
