import { randomBytes } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import { addVoidRule, removeVoidRule, settleInTime } from '../../engine/void-ballots.ts';
import { bytesOfImage, bytesOfPoll, bytesOfRound, RULE_BYTES } from '../../http/rate-limit.ts';
import { LANGUAGES } from '../../locales/catalogues.ts';
import { type Phrases, phrasesIn } from '../../locales/phrases.ts';
import { formText } from '../../pages/page/form-text.ts';
import { formatWallTime, parseWallTime } from '../../pages/page/wall-time.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import type { VotingSecret } from '../../pages/voter/voting-secret.ts';
import { CHAT_PLATFORMS } from '../../poll/chat-platform.ts';
import { type PlannedCorrection, planCorrection, planImage } from '../../poll/correct-poll.ts';
import { createAnswerId, createEdition } from '../../poll/create-poll.ts';
import { beginRound, drawRound } from '../../poll/next-round.ts';
import {
  type EncodedImage,
  type Poll,
  type PollId,
  type Reading,
  SHOW_NAME,
  VISIBILITIES,
} from '../../poll/poll.ts';
import { type Correction, planChange, type WantedState } from '../../poll/poll-change.ts';
import { PollError } from '../../poll/poll-error.ts';
import { hashKey, presentKey } from '../../poll/poll-key.ts';
import { writtenMembers } from '../../poll/poll-members.ts';
import { changePollBody, checkDraft } from '../../poll/poll-schema.ts';
import { encodeImage, readPollImage } from '../../poll/stored-image.ts';
import { idOfRule, NETWORK_TAG, type VoidRule } from '../../poll/void-rule.ts';
import { writtenAnswers } from '../../protocol/results-body.ts';
import { joinCodeFor } from '../../show/join-codes.ts';
import { changeShow, takeWinnerBack } from '../../show/shows.ts';
import { changeOf, type EditablePoll, type FilledEditor, QUESTION, readEditor } from '../editor/edit-poll.ts';
import { type Faults, faultsOf } from '../editor/faults.ts';

/** The result of a form of the manage page, as a key of its message. */
export type ActionOutcome =
  | {
      readonly done: keyof Phrases['manage']['done'];
      /** The new key is derived from this and the secret of the voting servers. */
      readonly viewKeyToken?: string;
    }
  | { readonly done: 'on_air'; readonly show: string; readonly overlay: string }
  | { readonly done: 'ballots_removed'; readonly rule: string }
  | { readonly done: 'unchanged' | 'created' }
  | { readonly refused: keyof Phrases['manage']['refused'] }
  | RejectedEdit;

/** The editor is shown again with what was typed. */
export interface RejectedEdit {
  readonly filled: FilledEditor;
  /** Those of its fields, or what is wrong with all of it. */
  readonly faults: Faults | 'ballots_cast' | 'choices_impossible' | 'edit_changed' | 'picture_unusable';
}

export type ActionFields = Readonly<Record<string, unknown>>;

/** Moving or counting the ballots of a large poll takes longer than a reply may. */
export const PATIENCE_MS = 5_000;

/** The offered delays; the deadline form takes any other time. */
export const CLOSE_IN_MINUTES: readonly number[] = [1, 5, 10];

export interface ActionDependencies extends PageDependencies {
  /** @throws Rejection `rate_limited` */
  spend(bytes: number): Promise<void>;
}

type Action = (tools: ActionDependencies, reading: Reading, fields: ActionFields) => Promise<ActionOutcome>;

const DONE_BY_VISIBILITY = {
  always: 'shown',
  after_deadline: 'waiting',
  after_vote: 'to_voters',
  hidden: 'hidden',
} as const;
/** The fields have seconds: a period ends with its last second. */
const LAST_MS = 999;
const SHOW_REFUSALS = ['show_not_found', 'api_key_required', 'api_key_rejected'] as const;

/** Actions of the page of ballots, which shows their outcome. */
export const BALLOT_ACTIONS: ReadonlySet<string> = new Set(['remove-ballots', 'put-back']);

/** By the last part of the form's address. `admin-key` has a route of its own, because it changes the session. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  async visibility(tools, reading, fields) {
    const wanted = VISIBILITIES.find(value => value === textOf(fields, 'results_visibility'));
    if (!wanted) return { refused: 'visibility_missing' };
    return change(tools, reading, { resultsVisibility: wanted }, DONE_BY_VISIBILITY[wanted]);
  },

  /** The form names the round that it ends, so a second press begins no other. */
  async again(tools, reading, fields) {
    const { polls } = tools.engine;
    if (textOf(fields, 'round') !== `${reading.poll.round ?? 1}`) return { refused: 'round_begun' };
    const draw = async (present: Reading) => {
      const nowMs = await polls.now();
      return drawRound(present, {}, body => checkDraft(body, nowMs).data!.poll);
    };
    try {
      const next = await draw(reading);
      await tools.spend(await bytesOfRound(next, polls));
      await beginRound(next, polls, { read: () => readAgain(tools, reading.poll.id), draw });
      return { done: 'round_begun' };
    } catch (error) {
      const { code } = error as PollError;
      if (code === 'rounds_full' || code === 'round_begun') return { refused: code };
      throw error;
    }
  },

  close: (tools, reading) => change(tools, reading, { status: 'closed' }, 'closed'),

  reopen(tools, reading) {
    const { deadlineMs, readAtMs, status } = reading.results;
    const isPast = deadlineMs !== null && deadlineMs <= readAtMs;
    if (isPast) return change(tools, reading, { status: 'open', deadlineMs: null }, 'reopened_without_end');
    return change(tools, reading, { status: 'open' }, status === 'upcoming' ? 'opened' : 'reopened');
  },

  async deadline(tools, reading, fields) {
    const text = textOf(fields, 'deadline');
    if (text === '') return change(tools, reading, { deadlineMs: null }, 'no_deadline');
    const deadlineMs = parseWallTime(text, textOf(fields, 'offset'));
    if (deadlineMs === undefined) return { refused: 'moment_missing' };
    // The field has no seconds: the same minute leaves the stored deadline as it is.
    const { deadlineMs: stored } = reading.results;
    if (stored !== null && formatWallTime(deadlineMs) === formatWallTime(stored))
      return { done: 'unchanged' };
    return change(tools, reading, { deadlineMs }, 'new_deadline');
  },

  async 'close-in'(tools, reading, fields) {
    const minutes = Number(fields['minutes']);
    if (!CLOSE_IN_MINUTES.includes(minutes)) return { refused: 'minutes_missing' };
    return change(tools, reading, { closesInMs: minutes * 60_000 }, 'new_deadline');
  },

  /** The form names the edition that it shows: a correction since then is not replaced unseen. */
  async edit(tools, { poll }, fields) {
    const filled = readEditor(name => [fields[name]].flat().map(value => `${value ?? ''}`));
    const removed = textOf(fields, 'no_picture');
    const image = await readPicture(fields['picture']);
    if (image === 'unusable') return { filled, faults: 'picture_unusable' };
    for (;;) {
      const reading = await readAgain(tools, poll.id);
      const wanted = changeOf(editablePoll(reading.poll), filled);
      const checked = changePollBody.safeParse({ poll: wanted ?? { title: reading.poll.title } });
      if (!checked.success) return { filled, faults: faultsOf(checked.error) };
      const fresh = { edition: createEdition(), createAnswerId };
      const { correction, fault } = planCorrection(reading, checked.data, fresh);
      const isSeen = textOf(fields, 'edition') === (reading.poll.edition ?? '');
      if (fault) return { filled, faults: isSeen ? faultOfEdit(fault) : 'edit_changed' };
      if (correction) {
        if (!isSeen) return { filled, faults: 'edit_changed' };
        await tools.spend(Math.max(bytesOfPoll(correction.after) - bytesOfPoll(correction.before), 0));
        const what = { correction, expected: reading.results };
        // Planned again if another correction, or the first ballot, was faster.
        if (!(await tools.engine.polls.change(poll.id, what))) continue;
      }
      if (removed !== '') await changePicture(tools, poll.id, removed);
      if (image) await changePicture(tools, poll.id, QUESTION, image);
      // A form that was sent twice has changed the poll already.
      return { done: correction || removed || image || !isSeen ? 'edited' : 'unchanged' };
    }
  },

  async 'join-code'(tools, { poll }, fields) {
    const { engine } = tools;
    const hasJoinCode = textOf(fields, 'join_code') === '1';
    for (;;) {
      const reading = await readAgain(tools, poll.id);
      const joinCode = await joinCodeFor(engine, reading.poll, { hasJoinCode });
      const fresh = { edition: createEdition(), createAnswerId, joinCode };
      const { correction } = planCorrection(reading, { hasJoinCode }, fresh);
      // Planned again if another correction, or the first ballot, was faster.
      if (!correction || (await engine.polls.change(poll.id, { correction })))
        return { done: hasJoinCode ? 'join_code' : 'no_join_code' };
    }
  },

  async 'view-key'({ engine, secret: readSecret }, { poll: { id } }, fields) {
    const secret = await readSecret();
    const token = readKeyToken(secret, 'view', id, fields);
    if (token === undefined) return { refused: 'page_stale' };
    await engine.polls.change(id, { viewKeyHash: hashKey(deriveKey(secret, 'view', token, id)) });
    return { done: 'new_view_key', viewKeyToken: token };
  },

  async 'remove-comment'({ engine }, { poll }, fields) {
    const isRemoved = await engine.comments.remove(poll.id, textOf(fields, 'comment'));
    return { done: isRemoved ? 'comment_removed' : 'comment_gone' };
  },

  /** Needs the show's key: the poll's own does not open the show. */
  async show({ engine, relayUrl, operators: { isOperatorKey } }, { poll }, fields) {
    const name = textOf(fields, 'show');
    if (!SHOW_NAME.test(name)) return { refused: 'show_not_found' };
    const key = presentKey(textOf(fields, 'show_key'), 'message');
    try {
      await changeShow(engine, name, { onAir: poll.id }, { key, isOperatorKey });
    } catch (error) {
      const refused = error instanceof PollError && SHOW_REFUSALS.find(code => code === error.code);
      if (!refused) throw error;
      return { refused };
    }
    return { done: 'on_air', show: name, overlay: `${relayUrl}/overlay/show/${name}` };
  },

  /** Removes those of a network or a chat until the last ballot that the page counted, or of a period. */
  async 'remove-ballots'({ engine: { polls }, log, spend }, { poll }, fields) {
    const rule = readVoidRule(fields, await polls.now());
    if (!rule) return { refused: 'period_missing' };
    await spend(RULE_BYTES);
    try {
      await addVoidRule(polls, poll.id, rule);
    } catch (error) {
      if (error instanceof PollError && error.code === 'invalid_request')
        return { refused: 'too_many_removals' };
      throw error;
    }
    await settle(polls, poll.id, log);
    return { done: 'ballots_removed', rule: idOfRule(rule) };
  },

  async 'put-back'({ engine: { polls }, log }, { poll }, fields) {
    await removeVoidRule(polls, poll.id, textOf(fields, 'rule'));
    await settle(polls, poll.id, log);
    return { done: 'ballots_back' };
  },

  async delete({ engine }, { poll }, fields) {
    if (!isConfirmation(textOf(fields, 'confirmation').normalize('NFC'))) return { refused: 'not_confirmed' };
    await engine.polls.remove(poll.id);
    return { done: 'removed' };
  },
};

/** @throws PollError `poll_not_found` */
async function readAgain({ engine }: ActionDependencies, id: PollId): Promise<Reading> {
  const reading = await engine.polls.find(id);
  if (!reading) throw new PollError('poll_not_found');
  return reading;
}

async function change(
  tools: ActionDependencies,
  reading: Reading,
  wanted: WantedState,
  done: keyof Phrases['manage']['done'],
): Promise<ActionOutcome> {
  const { change: planned, fault } = planChange(reading.results, wanted);
  if (fault) return { refused: fault };
  if (!planned) return { done };
  const { correction } = planCorrection(reading, {}, { edition: createEdition(), createAnswerId }, planned);
  const what = { ...planned, ...(correction && { correction }), expected: reading.results };
  // Another change was faster.
  if (!(await tools.engine.polls.change(reading.poll.id, what)))
    return change(tools, await readAgain(tools, reading.poll.id), wanted, done);
  await takeWinnerBack(tools.engine, reading.poll.id, reading.poll.show?.name);
  return { done };
}

/** Reads the picture of the question, which the form has without a script. */
async function readPicture(file: unknown): Promise<EncodedImage | 'unusable' | undefined> {
  if (!(file instanceof Blob) || file.size === 0) return undefined;
  try {
    return await encodePicture(Buffer.from(await file.arrayBuffer()));
  } catch {
    return 'unusable';
  }
}

/** The script sends each as small as it is stored. @throws PollError as `readPollImage` */
export async function encodePicture(bytes: Buffer): Promise<EncodedImage> {
  return encodeImage(await readPollImage(bytes, async () => undefined));
}

/**
 * @param owner an answer's id, or `QUESTION`
 * @throws PollError `poll_not_found`
 * @returns the poll before, and with that picture or none
 */
export async function changePicture(
  tools: ActionDependencies,
  id: PollId,
  owner: string,
  image?: EncodedImage,
): Promise<Pick<Correction, 'before' | 'after'>> {
  for (;;) {
    const reading = await readAgain(tools, id);
    const answerId = owner === QUESTION ? undefined : owner;
    const correction = planImage(reading, answerId, image, createEdition());
    if (!correction) return { before: reading.poll, after: reading.poll };
    if (image) await tools.spend(bytesOfImage(image.data));
    if (await tools.engine.polls.change(id, { correction })) return correction;
  }
}

export function editablePoll(poll: Poll): EditablePoll {
  return { title: poll.title, ...writtenMembers(poll), poll_answers: writtenAnswers(poll) };
}

function faultOfEdit(fault: NonNullable<PlannedCorrection['fault']>): RejectedEdit['faults'] {
  if (fault === 'multiple_missing') return new Map([['min_choices', { code: 'multiple' }]]);
  return fault === 'choices_impossible' ? fault : 'ballots_cast';
}

/** @param nowMs the engine's clock: a rule covers no later ballot */
function readVoidRule(fields: ActionFields, nowMs: number): VoidRule | undefined {
  const network = textOf(fields, 'network');
  const toMs = Math.min(Number(textOf(fields, 'until')), nowMs);
  const source = CHAT_PLATFORMS.find(platform => platform === textOf(fields, 'source'));
  if (source && toMs > 0) return { source, toMs };
  if (network !== '') return NETWORK_TAG.test(network) && toMs > 0 ? { network, toMs } : undefined;
  const fromMs = parseWallTime(textOf(fields, 'from'), textOf(fields, 'from_offset'));
  const lastSecondMs = parseWallTime(textOf(fields, 'to'), textOf(fields, 'to_offset'));
  if (fromMs === undefined || lastSecondMs === undefined || lastSecondMs < fromMs) return undefined;
  return { fromMs, toMs: Math.min(lastSecondMs + LAST_MS, nowMs) };
}

/** The page of ballots waits for what is not settled in time. */
function settle(polls: Engine['polls'], id: PollId, log: FastifyBaseLogger): Promise<boolean> {
  return settleInTime(polls, id, cause => log.warn({ cause }, 'moving ballots failed'));
}

/** Accepts the word of any language: the form may be sent in another one than it was shown in. */
function isConfirmation(typed: string): boolean {
  return LANGUAGES.some(
    language => typed.toLocaleLowerCase(language) === phrasesIn(language).manage.remove.word,
  );
}

function textOf(fields: ActionFields, name: string): string {
  return formText(fields, name).trim();
}

export type RenewedKey = 'view' | 'admin';

/** A token of the form that renews a key. The key is derived from it, so a form that is sent twice creates one key. */
export function sealKeyToken(secret: VotingSecret, kind: RenewedKey, pollId: string): string {
  return secret.seal('manage', randomBytes(32).toString('base64url'), pollId, `${kind} key`);
}

export function readKeyToken(
  secret: VotingSecret,
  kind: RenewedKey,
  pollId: string,
  fields: ActionFields,
): string | undefined {
  return secret.unseal('manage', textOf(fields, 'once'), pollId, `${kind} key`);
}

export function deriveKey(secret: VotingSecret, kind: RenewedKey, token: string, pollId: string): string {
  return `${kind}_${secret.bytes('manage', token, pollId, kind).toString('base64url')}`;
}
