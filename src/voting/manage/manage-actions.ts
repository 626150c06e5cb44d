import { randomBytes } from 'node:crypto';
import type { Engine } from '../../engine/engine.ts';
import { LANGUAGES } from '../../locales/catalogues.ts';
import { SHOW_NAME } from '../../poll/name-rules.ts';
import type { Reading } from '../../poll/poll.ts';
import { planChange, type WantedState } from '../../poll/poll-change.ts';
import { PollError } from '../../poll/poll-error.ts';
import { hashKey, type IsOperatorKey, presentKey } from '../../poll/poll-key.ts';
import { changeShow } from '../../show/shows.ts';
import { phrasesIn } from '../../web/phrases.ts';
import { readLocalMoment, writeMoment } from '../page/deadline-field.ts';
import type { ReadSecret, VotingSecret } from '../voter/voting-secret.ts';
import type { ActionOutcome } from './action-outcome.ts';

/** What the creator's buttons do. Each resolves to what the next page says. */

export type ActionFields = Readonly<Record<string, unknown>>;

/** The buttons that there are; any other moment is a deadline. */
export const CLOSE_IN_MINUTES: readonly number[] = [1, 5, 10];

export interface ActionTools {
  readonly engine: Engine;
  readonly secret: ReadSecret;
  readonly relayUrl: string;
  readonly isOperatorKey: IsOperatorKey;
}

type Action = (tools: ActionTools, reading: Reading, fields: ActionFields) => Promise<ActionOutcome>;

const VISIBILITIES = { always: 'shown', after_deadline: 'waiting', hidden: 'hidden' } as const;

const visibility: Action = async ({ engine }, reading, fields) => {
  const wanted = fields['results_visibility'];
  if (wanted !== 'always' && wanted !== 'after_deadline' && wanted !== 'hidden')
    return { refused: 'visibility_missing' };
  return change(engine, reading, { resultsVisibility: wanted }, { done: VISIBILITIES[wanted] });
};

const close: Action = ({ engine }, reading) =>
  change(engine, reading, { status: 'closed' }, { done: 'closed' });

const reopen: Action = ({ engine }, reading) => {
  const { deadlineMs, readAtMs, status } = reading.results;
  const passed = deadlineMs !== null && deadlineMs <= readAtMs;
  const wanted: WantedState = { status: 'open', ...(passed && { deadlineMs: null }) };
  if (passed) return change(engine, reading, wanted, { done: 'reopened_without_end' });
  return change(engine, reading, wanted, { done: status === 'upcoming' ? 'opened' : 'reopened' });
};

const deadline: Action = async ({ engine }, reading, fields) => {
  const text = typeof fields['deadline'] === 'string' ? fields['deadline'].trim() : '';
  if (text === '') return change(engine, reading, { deadlineMs: null }, { done: 'no_deadline' });
  const deadlineMs = readLocalMoment(text, typeof fields['offset'] === 'string' ? fields['offset'] : '');
  if (deadlineMs === undefined) return { refused: 'moment_missing' };
  // The field shows minutes: what it shows of the stored deadline is that deadline, seconds included.
  const { deadlineMs: stored } = reading.results;
  if (stored !== null && writeMoment(deadlineMs) === writeMoment(stored)) return { done: 'unchanged' };
  return change(engine, reading, { deadlineMs }, { done: 'new_deadline' });
};

const closeIn: Action = async ({ engine }, reading, fields) => {
  const minutes = Number(fields['minutes']);
  if (!CLOSE_IN_MINUTES.includes(minutes)) return { refused: 'minutes_missing' };
  return change(engine, reading, { closesInMs: minutes * 60_000 }, { done: 'new_deadline' });
};

/** The new key comes from the form's token: a reload shows the same one again instead of making another. */
const viewKey: Action = async ({ engine, secret: readSecret }, { poll }, fields) => {
  const secret = await readSecret();
  const token = keyTokenIn(secret, 'view', poll.id, fields);
  if (token === undefined) return { refused: 'page_stale' };
  await engine.polls.change(poll.id, { viewKeyHash: hashKey(keyFrom(secret, 'view', token, poll.id)) });
  return { done: 'new_view_key', viewKeyToken: token };
};

/** The keys that a form can renew. */
export type RenewedKey = 'view' | 'admin';

export function sealKeyToken(secret: VotingSecret, kind: RenewedKey, pollId: string): string {
  return secret.seal('manage', randomBytes(32).toString('base64url'), pollId, `${kind} key`);
}

export function keyTokenIn(
  secret: VotingSecret,
  kind: RenewedKey,
  pollId: string,
  { once }: ActionFields,
): string | undefined {
  return secret.unseal('manage', typeof once === 'string' ? once : undefined, pollId, `${kind} key`);
}

export function keyFrom(secret: VotingSecret, kind: RenewedKey, token: string, pollId: string): string {
  return `${kind}_${secret.bytes('manage', token, pollId, kind).toString('base64url')}`;
}

const removeComment: Action = async ({ engine }, { poll }, fields) => {
  const id = fields['comment'];
  const removed = typeof id === 'string' && (await engine.comments.remove(poll.id, id));
  return { done: removed ? 'comment_removed' : 'comment_gone' };
};

/** A show belongs to whoever took its name: the key of the poll says nothing about it. */
const show: Action = async ({ engine, relayUrl, isOperatorKey }, { poll }, fields) => {
  const [name, key] = [fields['show'], fields['show_key']].map(text =>
    typeof text === 'string' ? text.trim() : '',
  ) as [string, string];
  if (!SHOW_NAME.test(name)) return { refused: 'show_not_found' };
  try {
    await changeShow(engine, name, { onAir: poll.id }, { key: presentKey(key, 'message'), isOperatorKey });
  } catch (error) {
    const refused = error instanceof PollError && SHOW_REFUSALS.find(code => code === error.code);
    if (!refused) throw error;
    return { refused };
  }
  return { done: 'on_air', show: name, overlay: `${relayUrl}/overlay/show/${name}` };
};

const SHOW_REFUSALS = ['show_not_found', 'api_key_required', 'api_key_rejected'] as const;

const remove: Action = async ({ engine }, { poll }, fields) => {
  const { confirmation } = fields;
  const typed = typeof confirmation === 'string' ? confirmation.trim().normalize('NFC') : '';
  if (!isConfirmation(typed)) return { refused: 'not_confirmed' };
  await engine.polls.remove(poll.id);
  return { done: 'removed' };
};

export const ACTIONS: Readonly<Record<string, Action>> = {
  visibility,
  close,
  reopen,
  deadline,
  'close-in': closeIn,
  'view-key': viewKey,
  'remove-comment': removeComment,
  show,
  delete: remove,
};

async function change(
  { polls }: Engine,
  { poll, results }: Reading,
  wanted: WantedState,
  done: ActionOutcome,
): Promise<ActionOutcome> {
  const planned = planChange(results, wanted);
  if (planned.fault) return { refused: planned.fault };
  if (planned.change) await polls.change(poll.id, planned.change);
  return done;
}

/** In any of our languages: the page may have been opened in another one than it is sent from. */
function isConfirmation(typed: string): boolean {
  return LANGUAGES.some(language => {
    const { word } = phrasesIn(language).manage.remove;
    return typed.toLocaleLowerCase(language) === word;
  });
}
