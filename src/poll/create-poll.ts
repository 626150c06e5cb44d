import { randomBytes, randomInt } from 'node:crypto';
import {
  type Answer,
  initialState,
  type NewPoll,
  type Poll,
  type PollId,
  type PollKeys,
  readSettings,
} from './poll.ts';
import { createKey, hashKey } from './poll-key.ts';
import type { PollDraft } from './poll-schema.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 128 bits. */
const NETWORK_KEY_BYTES = 16;

/** A poll before it is stored, with the keys that only its creator gets. */
export interface PollWithKeys {
  readonly created: NewPoll;
  readonly adminKey: string;
  readonly viewKey: string;
}

/** The random parts of a poll. The same draft and seed give the same poll. */
export interface PollSeed extends Pick<PollWithKeys, 'adminKey' | 'viewKey'> {
  readonly created: { readonly poll: Pick<Poll, 'id' | 'createdAtMs'> & RandomParts };
}

/** Seeds that were stored before ballots had networks have no key for them. */
interface RandomParts extends Pick<Poll, 'networkKey' | 'joinCode'> {
  readonly answers: readonly Pick<Answer, 'id'>[];
}

/** The owner of a poll, and how long the poll is kept without a ballot. */
export type PollOrigin = Pick<Poll, 'show' | 'emptyRetentionMs'>;

/** @param nowMs the engine's clock, UNIX time in milliseconds */
export function newSeed({ answers }: PollDraft, nowMs: number): PollSeed {
  const poll = { id: createPollId(), createdAtMs: nowMs, ...drawParts(answers.length) };
  return { adminKey: createKey('admin'), viewKey: createKey('view'), created: { poll } };
}

export function pollFromSeed(
  draft: PollDraft,
  { adminKey, viewKey, created }: PollSeed,
  origin: PollOrigin,
): PollWithKeys {
  const keys = { adminKeyHash: hashKey(adminKey), viewKeyHash: hashKey(viewKey) };
  const { id, createdAtMs, ...parts } = created.poll;
  const made = draftToPoll(draft, id, keys, createdAtMs, parts);
  // A poll of a show is unlisted: its rundown is not public before it is on air.
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
  { answers, networkKey, joinCode }: RandomParts = drawParts(draft.answers.length),
): NewPoll {
  const { closesInMs, results_visibility: resultsVisibility } = draft;
  const initial = initialState({ closesInMs, resultsVisibility });
  const poll: Poll = {
    id,
    title: draft.title,
    description: draft.description,
    answers: answers.map(({ id }, index) => ({ id, text: '', ...draft.answers[index] })),
    settings: readSettings(draft),
    ...(draft.min_choices !== null && { minChoices: draft.min_choices }),
    ...(draft.max_choices !== null && { maxChoices: draft.max_choices }),
    ...(draft.answer_order === 'random' && { answerOrder: draft.answer_order }),
    image: draft.image,
    ...(draft.image_focus && { imageFocus: draft.image_focus }),
    inactiveDeadlineMs: draft.has_deadline ? null : draft.deadlineMs,
    createdAtMs: nowMs,
    ...(!draft.chat && { chat: false as const }),
    ...(networkKey !== undefined && { networkKey }),
    ...(joinCode !== undefined && { joinCode }),
    ...(initial && { initial }),
  };
  const deadlineMs = draft.has_deadline ? draft.deadlineMs : null;
  const upcoming = draft.status === 'upcoming';
  return { poll, keys, deadlineMs, ...(upcoming && { closesInMs }), resultsVisibility, upcoming };
}

function drawParts(answerCount: number): RandomParts {
  const networkKey = randomBytes(NETWORK_KEY_BYTES).toString('base64url');
  return { answers: createAnswerIds(answerCount), networkKey };
}

/** Random and unique within the poll, so that a ballot for one poll never fits another. */
function createAnswerIds(count: number): Pick<Answer, 'id'>[] {
  const ids = new Set<string>();
  while (ids.size < count) ids.add(createAnswerId());
  return [...ids].map(id => ({ id }));
}

export function createAnswerId(): string {
  return randomBytes(6).toString('base64url');
}

/** Random, so that it never returns with another wording, not even after a loss of data. */
export function createEdition(): string {
  return randomBytes(6).toString('base64url');
}
