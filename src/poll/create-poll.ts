import { randomBytes, randomInt } from 'node:crypto';
import type { Answer, NewPoll, Poll, PollId, PollKeys, PollOwner } from './poll.ts';
import { createKey, hashKey } from './poll-key.ts';
import type { PollDraft } from './poll-schema.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const POLL_ID = /^[0-9A-Za-z]{12}$/;

/** A poll that nobody has stored yet, with the keys that its creator alone is told. */
export interface PollWithKeys {
  readonly created: NewPoll;
  readonly adminKey: string;
  readonly viewKey: string;
}

/**
 * @param nowMs the engine's clock, UNIX time in milliseconds
 * @param show that owns the poll, which is unlisted then
 */
export function pollWithKeys(draft: PollDraft, nowMs: number, show?: PollOwner): PollWithKeys {
  const [adminKey, viewKey] = [createKey('admin'), createKey('view')];
  const keys = { adminKeyHash: hashKey(adminKey), viewKeyHash: hashKey(viewKey) };
  const created = draftToPoll(draft, createPollId(), keys, nowMs);
  if (!show) return { created, adminKey, viewKey };
  // A run-down is nobody's to read before it is on air.
  const settings = { ...created.poll.settings, priv: true };
  return { created: { ...created, poll: { ...created.poll, settings, show } }, adminKey, viewKey };
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
  const { priv, co, ma, mip, enter_name, only_reg, vpn, has_image } = draft;
  const poll: Poll = {
    id,
    title: draft.title,
    description: draft.description,
    answers: nameAnswers(draft.answers),
    settings: { priv, co, ma, mip, enter_name, only_reg, vpn, has_image },
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
function nameAnswers(texts: readonly string[]): Answer[] {
  const ids = new Set<string>();
  while (ids.size < texts.length) ids.add(randomBytes(6).toString('base64url'));
  return [...ids].map((id, index) => ({ id, text: texts[index] ?? '' }));
}
