import { randomBytes, randomInt } from 'node:crypto';
import type { Answer, NewPoll, Poll, PollId, PollKeys } from './poll.ts';
import { createKey, hashKey } from './poll-key.ts';
import type { PollDraft } from './poll-schema.ts';
import { readSettings } from './stored-poll.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const POLL_ID = /^[0-9A-Za-z]{12}$/;

/** A poll that nobody has stored yet, with the keys that its creator alone is told. */
export interface PollWithKeys {
  readonly created: NewPoll;
  readonly adminKey: string;
  readonly viewKey: string;
}

/** What is random about a poll: with the draft it gives the same poll again. */
export interface PollSeed extends Pick<PollWithKeys, 'adminKey' | 'viewKey'> {
  readonly created: {
    readonly poll: Pick<Poll, 'id' | 'createdAtMs'> & { readonly answers: readonly Pick<Answer, 'id'>[] };
  };
}

/** Who a poll belongs to, and how long it is kept without a ballot. */
export type PollOrigin = Pick<Poll, 'show' | 'emptyRetentionMs'>;

/** @param nowMs the engine's clock, UNIX time in milliseconds */
export function newSeed({ answers }: PollDraft, nowMs: number): PollSeed {
  const [adminKey, viewKey] = [createKey('admin'), createKey('view')];
  const poll = { id: createPollId(), createdAtMs: nowMs, answers: nameAnswers(answers) };
  return { adminKey, viewKey, created: { poll } };
}

export function pollFromSeed(
  draft: PollDraft,
  { adminKey, viewKey, created }: PollSeed,
  origin: PollOrigin,
): PollWithKeys {
  const keys = { adminKeyHash: hashKey(adminKey), viewKeyHash: hashKey(viewKey) };
  const { id, createdAtMs, answers } = created.poll;
  const made = draftToPoll(draft, id, keys, createdAtMs);
  const texts = answers.map((answer, index) => ({ id: answer.id, text: draft.answers[index] ?? '' }));
  // A poll of a show is unlisted: its run-down is not public before it is on air.
  const settings = origin.show ? { ...made.poll.settings, isPrivate: true } : made.poll.settings;
  const poll = { ...made.poll, ...origin, settings, answers: texts };
  return { created: { ...made, poll }, adminKey, viewKey };
}

/** 12 characters, 71 bits: unguessable, because a private poll is private only by its id. */
export function createPollId(): PollId {
  return Array.from({ length: 12 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** A guard for everything that becomes part of a key in an engine. */
export function isPollId(text: string): boolean {
  return POLL_ID.test(text);
}

/** @param nowMs UNIX time in milliseconds */
export function draftToPoll(draft: PollDraft, id: PollId, keys: PollKeys, nowMs: number): NewPoll {
  const poll: Poll = {
    id,
    title: draft.title,
    description: draft.description,
    answers: nameAnswers(draft.answers).map(({ id }, index) => ({ id, text: draft.answers[index] ?? '' })),
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

/** Random ids, so that a ballot for one poll never fits another; unique within the poll. */
function nameAnswers(texts: readonly string[]): Pick<Answer, 'id'>[] {
  const ids = new Set<string>();
  while (ids.size < texts.length) ids.add(randomBytes(6).toString('base64url'));
  return [...ids].map(id => ({ id }));
}
