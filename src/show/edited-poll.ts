import { planCorrection, type WantedWording } from '../poll/correct-poll.ts';
import { createAnswerId, createEdition } from '../poll/create-poll.ts';
import type { Poll, PollId, Reading } from '../poll/poll.ts';
import type { Correction } from '../poll/poll-change.ts';

/** A correction of a poll at the desk, and what takes it back. Pure. */

/** What a correction replaced. */
export interface EditedPoll {
  readonly id: PollId;
  readonly round: number;
  readonly before: WantedWording;
}

/** A correction of more text can't be taken back, because a show is read as a whole. */
const MAX_EDIT_CHARACTERS = 4_000;

/** @returns undefined if nothing of it can be taken back */
export function editOf({ before, after }: Correction): EditedPoll | undefined {
  const [was, now] = [wordingOf(before), wordingOf(after)];
  const changed = Object.entries(was).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(now[name as keyof WantedWording]),
  );
  const edit = { id: before.id, round: before.round ?? 1, before: Object.fromEntries(changed) };
  return changed.length > 0 && JSON.stringify(edit).length <= MAX_EDIT_CHARACTERS ? edit : undefined;
}

/** @returns undefined if it is over: a ballot was cast, or another round has begun */
export function planEdit(reading: Reading, { round, before }: EditedPoll): Correction | undefined {
  if ((reading.poll.round ?? 1) !== round) return undefined;
  const answers = before.answers?.map(({ id, ...given }) => {
    const answer = { color: null, imageFocus: null, ...given };
    return reading.poll.answers.some(one => one.id === id) ? { id, ...answer } : answer;
  });
  const wanted = { ...before, ...(answers && { answers }) };
  return planCorrection(reading, wanted, { edition: createEdition(), createAnswerId }).correction;
}

function wordingOf({ title, description, answers, imageFocus, settings }: Poll): WantedWording {
  const { sharedAddress, showTotal, allowChange } = settings;
  return {
    title,
    description,
    answers: answers.map(({ id, text, color, imageFocus }) => ({ id, text, color, imageFocus })),
    imageFocus: imageFocus ?? null,
    sharedAddress,
    showTotal,
    allowChange,
  };
}
