import { type NewPoll, type Poll, toStoredPoll } from '../../poll/poll.ts';

/** The fields of a poll's hash, which create-poll-1.lua documents, as they are written. */

/** By name. What is undefined is not written; null is an empty text, true and false are 1 and 0. */
export type PollFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Answers of one poll. */
const MAX_ANSWERS = 100;
/** The field `closed` of a poll that was never opened. Programs that do not know it take no ballot either. */
export const UPCOMING = 'upcoming';
/** The field of the log's state, and the prefix of those of its parts. */
export const LOG = 'log:';
/** The prefix of the fields of images. */
export const IMAGE = 'image:';

export function namesAndValues(fields: PollFields): [name: string, value: string][] {
  return Object.entries(fields).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    return [[name, `${typeof value === 'boolean' ? Number(value) : (value ?? '')}`]];
  });
}

/** What follows from the definition. */
export function definitionFields(poll: Poll): PollFields {
  const stored = toStoredPoll(poll);
  const { priv, ma, mip, enter_name, only_reg, vpn, verifiable, change_vote } = stored.settings;
  const { edition, round, minChoices, maxChoices } = poll;
  const isLimited = minChoices !== undefined || maxChoices !== undefined;
  return {
    definition: JSON.stringify(stored),
    edition,
    round,
    public: !priv,
    ...{ ma, mip, enter_name, only_reg, vpn },
    verifiable: verifiable || null,
    change_vote: change_vote || null,
    // A correction may add answers, so without a limit the most is that of any poll.
    choices: isLimited ? `${minChoices ?? 1} ${maxChoices ?? MAX_ANSWERS}` : null,
  };
}

/** Those of a poll, or a round of one, before its first ballot. */
export function openingFields(begun: Omit<NewPoll, 'keys' | 'images'>): PollFields {
  const { poll, deadlineMs, closesInMs, resultsVisibility, upcoming } = begun;
  return {
    ...definitionFields(poll),
    deadline: deadlineMs,
    closes_in: closesInMs ?? null,
    visibility: resultsVisibility,
    closed: upcoming ? UPCOMING : null,
    settled: null,
    voters: 0,
    sequence: 0,
    hinted: 0,
    ...counterFields(poll),
  };
}

/** @param votes in the order of the answers; default none */
export function counterFields({ answers }: Pick<Poll, 'answers'>, votes: readonly number[] = []): PollFields {
  return Object.fromEntries(answers.map(({ id }, index) => [`votes:${id}`, votes[index] ?? 0]));
}

export function imageFields(images: NewPoll['images'] = []): PollFields {
  return Object.fromEntries(images.map(({ file, data }) => [IMAGE + file, data]));
}
