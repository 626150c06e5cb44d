import { copyPoll, imagesOfCopy, type PollCopy } from './copy-poll.ts';
import { createAnswerId, createEdition, draftToPoll } from './create-poll.ts';
import {
  areResultsPublic,
  hasBallots,
  MAX_ROUNDS,
  type NextRound,
  type PollId,
  type Reading,
} from './poll.ts';
import { stateOf } from './poll-change.ts';
import { PollError } from './poll-error.ts';
import type { PollDraft } from './poll-schema.ts';

/** What all rounds share: `priv` decides who lists the poll, and its code leads to all of them. */
const FIXED = ['priv', 'join_code'] as const;

/**
 * Draws the next round of a poll: prepared as this one was, but for the given members, and open
 * unless they say otherwise. Answers keep their ids, given ones by their texts.
 *
 * @param given members of the request
 * @param draftOf checks a poll as a request creates it
 * @throws PollError `rounds_full`, `invalid_request`, `deadline_missing`
 */
export function drawRound(
  reading: Reading,
  given: PollCopy,
  draftOf: (body: unknown) => PollDraft,
): NextRound {
  const { poll, keys, results } = reading;
  if ((poll.round ?? 1) >= MAX_ROUNDS) throw new PollError('rounds_full');
  for (const name of FIXED)
    if (Object.hasOwn(given, name)) throw fixed(name, 'is that of the poll, and the same in all rounds');
  // Earlier rounds are visible with the present one, so hidden results stay hidden until their creator shows them.
  const isSecret = !areResultsPublic({ ...results, status: 'closed' });
  const kept = isSecret && { results_visibility: results.resultsVisibility };
  const draft = draftOf({ poll: copyPoll(reading, { status: 'open', ...kept, ...given }) });
  if (isSecret && ![results.resultsVisibility, 'hidden'].includes(draft.results_visibility))
    throw fixed('results_visibility', 'would show the results of the round before: show them first');
  const known = new Map(poll.answers.map(answer => [answer.text, answer]));
  const answers = draft.answers.map(({ text }, index) =>
    Object.hasOwn(given, 'answers') ? { id: known.get(text)?.id ?? createAnswerId() } : poll.answers[index]!,
  );
  const { id, createdAtMs, networkKey, joinCode } = poll;
  const parts = { answers, networkKey, joinCode };
  const { poll: made, keys: _, ...begun } = draftToPoll(draft, id, keys, createdAtMs, parts);
  return {
    ...begun,
    before: stateOf(reading),
    poll: {
      ...made,
      image: imagesOfCopy(reading, given).image ?? made.image,
      answers: made.answers.map((answer, index) => {
        const { image } = Object.hasOwn(given, 'answers') ? {} : poll.answers[index]!;
        return image === undefined ? answer : { ...answer, image };
      }),
      edition: createEdition(),
      ...(poll.show && { show: poll.show }),
      // A poll with votes in an earlier round is not without a ballot.
      ...(!hasBallots(results) &&
        poll.emptyRetentionMs !== undefined && { emptyRetentionMs: poll.emptyRetentionMs }),
    },
  };
}

/**
 * Begins a round. Where another change of the round that ends was faster, it holds for the next
 * one, which is drawn again.
 *
 * @param next as drawn first
 * @param read reads the poll again
 * @throws PollError `round_begun` if another request began one, and what `draw` throws
 */
export async function beginRound(
  next: NextRound,
  polls: { again(id: PollId, next: NextRound): Promise<boolean> },
  { read, draw }: { read(): Promise<Reading>; draw(reading: Reading): Promise<NextRound> },
): Promise<void> {
  const { id, edition } = next.poll;
  for (let drawn = next; !(await polls.again(id, drawn)); ) {
    const reading = await read();
    const { poll } = reading;
    // An earlier try may have begun it.
    if (poll.edition === edition) return;
    if ((poll.round ?? 1) !== (next.before.round ?? 1)) throw new PollError('round_begun');
    const again = await draw(reading);
    drawn = { ...again, poll: { ...again.poll, edition } };
  }
}

function fixed(name: string, message: string): PollError {
  return new PollError('invalid_request', { issues: [{ path: `poll.${name}`, message }] });
}
