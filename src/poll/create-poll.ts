import { randomBytes, randomInt } from 'node:crypto';
import { type Answer, type NewPoll, type Poll, type PollId, type PollKeys, readSettings } from './poll.ts';
import { createKey, hashKey } from './poll-key.ts';
import type { PollDraft } from './poll-schema.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A poll before it is stored, with the keys that only its creator gets. */
export interface PollWithKeys {
  readonly created: NewPoll;
  readonly adminKey: string;
  readonly viewKey: string;
}

/** The random parts of a poll. The same draft and seed give the same poll. */
export interface PollSeed extends Pick<PollWithKeys, 'adminKey' | 'viewKey'> {
  readonly created: {
    readonly poll: Pick<Poll, 'id' | 'createdAtMs'> & { readonly answers: readonly Pick<Answer, 'id'>[] };
  };
}

/** The owner of a poll, and how long the poll is kept without a ballot. */
export type PollOrigin = Pick<Poll, 'show' | 'emptyRetentionMs'>;

/** @param nowMs the engine's clock, UNIX time in milliseconds */
export function newSeed({ answers }: PollDraft, nowMs: number): PollSeed {
  const poll = { id: createPollId(), createdAtMs: nowMs, answers: createAnswerIds(answers.length) };
  return { adminKey: createKey('admin'), viewKey: createKey('view'), created: { poll } };
}

export function pollFromSeed(
  draft: PollDraft,
  { adminKey, viewKey, created }: PollSeed,
  origin: PollOrigin,
): PollWithKeys {
  const keys = { adminKeyHash: hashKey(adminKey), viewKeyHash: hashKey(viewKey) };
  const { id, createdAtMs, answers } = created.poll;
  const made = draftToPoll(draft, id, keys, createdAtMs, answers);
  // A poll of a show is unlisted: its run-down is not public before it is on air.
  const settings = origin.show ? { ...made.poll.settings, isPrivate: true } : made.poll.settings;
  return { created: { ...made, poll: { ...made.poll, ...origin, settings } }, adminKey, viewKey };
}

/** 12 characters, 71 bits. Must not be guessable: a private poll is private only by its id. */
export function createPollId(): PollId {
  return Array.from({ length: 12 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** @param nowMs UNIX time in milliseconds */
export function draftToPoll(
  draft: PollDraft,
  id: PollId,
  keys: PollKeys,
  nowMs: number,
  answers: readonly Pick<Answer, 'id'>[] = createAnswerIds(draft.answers.length),
): NewPoll {
  const poll: Poll = {
    id,
    title: draft.title,
    description: draft.description,
    answers: answers.map(({ id }, index) => ({ id, text: draft.answers[index] ?? '' })),
    settings: readSettings(draft),
    image: draft.image,
    inactiveDeadlineMs: draft.has_deadline ? null : draft.deadlineMs,
    createdAtMs: nowMs,
  };
  const deadlineMs = draft.has_deadline ? draft.deadlineMs : null;
  const upcoming = draft.status === 'upcoming';
  const { closesInMs, results_visibility: resultsVisibility } = draft;
  return { poll, keys, deadlineMs, closesInMs, resultsVisibility, upcoming };
}

/** Random and unique within the poll, so that a ballot for one poll never fits another. */
function createAnswerIds(count: number): Pick<Answer, 'id'>[] {
  const ids = new Set<string>();
  while (ids.size < count) ids.add(randomBytes(6).toString('base64url'));
  return [...ids].map(id => ({ id }));
}
