import { randomUUID } from 'node:crypto';
import type { ChatPlatform } from '../poll/chat-platform.ts';
import { idOfRound, type PollId, type PollRound } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import {
  idOfRule,
  idOfUsersRule,
  isVoidedBy,
  MAX_RULES,
  MAX_USERS,
  type VoidRule,
} from '../poll/void-rule.ts';
import type { Polls } from './engine.ts';
import { takeTurn } from './turns.ts';
import { within } from './within.ts';

/** Time for settling ballots within a request. */
const PATIENCE_MS = 5_000;
/** Ballots moved in one step, which holds up other ballots for a few milliseconds. */
const BATCH = 250;

/** As stored in the poll. A ballot is voided if one of the rules matches it. */
interface VoidState {
  readonly rules: readonly VoidRule[];
  /**
   * Ballots may not agree with the rules yet. Names the decision, so that a mover notices a later
   * one with equal rules.
   */
  readonly unfinished?: string | true;
}

export type VoidPolls = Pick<Polls, 'findVoidRules' | 'replaceVoidRules' | 'setVoided' | 'readBallots'>;

/** The rules of a poll in the order in which they were made, or undefined if there is no such poll. */
export type VoidRules = readonly VoidRule[] | undefined;

/**
 * Stores the decision to take all ballots that match a rule out of the counts, and moves none:
 * `settleBallots` does. May be repeated after any error.
 *
 * @throws PollError `invalid_request` if the poll has `MAX_RULES` others
 */
export function addVoidRule(polls: VoidPolls, id: PollId, rule: VoidRule): Promise<VoidRules> {
  const ruleId = idOfRule(rule);
  return decide(polls, id, rules => {
    // In its place, so that calls at the same time agree on the rules.
    if (rules.some(one => idOfRule(one) === ruleId))
      return rules.map(one => (idOfRule(one) === ruleId ? rule : one));
    if (rules.length < MAX_RULES) return [...rules, rule];
    const message = `this poll has ${MAX_RULES} rules: take one back first`;
    throw new PollError('invalid_request', { issues: [{ path: 'void', message }] });
  });
}

/**
 * Removes a rule, so that its ballots count again, except those that another rule matches.
 * Otherwise as `addVoidRule`.
 */
export function removeVoidRule(polls: VoidPolls, id: PollId, ruleId: string): Promise<VoidRules> {
  return decide(polls, id, rules => rules.filter(rule => idOfRule(rule) !== ruleId));
}

/**
 * Settles ballots for as long as a request may take, and goes on after that.
 *
 * @param onError gets what ends the settling after that time
 * @returns whether all ballots agree with the rules
 */
export async function settleInTime(
  polls: VoidPolls,
  id: PollId,
  onError: (cause: unknown) => void,
): Promise<boolean> {
  const settling = settleBallots(polls, id).then(() => true);
  const inTime = await within(PATIENCE_MS, settling, false);
  if (!inTime) settling.catch(onError);
  return inTime;
}

/**
 * Voids single ballots by the rule of a chat's moderators, without reading the others. May be repeated after any error.
 *
 * @param ballotIds of the poll
 * @param nowMs the engine's clock
 * @returns false if some found no room in the rule
 */
export async function voidUsers(
  polls: VoidPolls,
  id: PollId,
  source: ChatPlatform,
  ballotIds: readonly string[],
  nowMs: number,
): Promise<boolean> {
  const ruleId = idOfUsersRule(source);
  for (;;) {
    const stored = await polls.findVoidRules(id);
    if (stored === undefined) return true;
    const { rules, unfinished } = parse(stored);
    const known = rules.find(rule => idOfRule(rule) === ruleId);
    const before = known && 'ballots' in known ? known.ballots : [];
    const fresh = ballotIds.filter(one => !before.includes(one));
    const added = fresh.slice(0, MAX_USERS - before.length);
    const isRoom = added.length === fresh.length && (known !== undefined || rules.length < MAX_RULES);
    if (added.length === 0 || (!known && rules.length >= MAX_RULES)) return isRoom;
    const rule: VoidRule = { source, ballots: [...before, ...added], toMs: nowMs };
    const decided = known ? rules.map(one => (one === known ? rule : one)) : [...rules, rule];
    const begun = JSON.stringify({ rules: decided, unfinished: randomUUID() } satisfies VoidState);
    if (!(await polls.replaceVoidRules(id, stored, begun))) continue;
    if (unfinished) await settleBallots(polls, id);
    // Another decision by now is followed by its own mover.
    else if (await polls.setVoided(id, added, true, begun))
      await polls.replaceVoidRules(id, begun, JSON.stringify({ rules: decided } satisfies VoidState));
    return isRoom;
  }
}

/** Resolves to the rules of a poll; finishes what an ended process has left. */
export async function readVoidRules(polls: VoidPolls, id: PollId): Promise<VoidRules> {
  await settleBallots(polls, id);
  const settled = await polls.findVoidRules(id);
  return settled === undefined ? undefined : parse(settled).rules;
}

/**
 * Goes on with what an ended process, or the next round, has left unfinished. Does not wait for it.
 *
 * @param round the present one
 * @returns whether there is something
 */
export async function resumeVoids(polls: VoidPolls, { id, round = 1 }: PollRound): Promise<boolean> {
  const rounds = Array.from({ length: round }, (_, index) => (index === 0 ? id : idOfRound(id, index)));
  const texts = await Promise.all(rounds.map(stored => polls.findVoidRules(stored)));
  const unfinished = rounds.filter((_, index) => parse(texts[index] ?? '').unfinished);
  for (const stored of unfinished) settleBallots(polls, stored).catch(() => {});
  return unfinished.length > 0;
}

/**
 * Moves ballots until they agree with the stored rules, also if these change meanwhile; one mover a
 * poll in this process. The counts are exact after each step. May be repeated after any error;
 * several processes may do it at once.
 */
export function settleBallots(polls: VoidPolls, id: PollId): Promise<void> {
  return takeTurn(polls, id, () => followRules(polls, id));
}

/** Changes the stored rules once. Repeats only the comparison, when another decision comes between read and write. */
async function decide(
  polls: VoidPolls,
  id: PollId,
  change: (rules: readonly VoidRule[]) => readonly VoidRule[],
): Promise<VoidRules> {
  for (;;) {
    const stored = await polls.findVoidRules(id);
    if (stored === undefined) return undefined;
    const state: VoidState = { rules: change(parse(stored).rules), unfinished: randomUUID() };
    if (await polls.replaceVoidRules(id, stored, JSON.stringify(state))) return state.rules;
  }
}

async function followRules(polls: VoidPolls, id: PollId): Promise<void> {
  for (;;) {
    const stored = await polls.findVoidRules(id);
    const { rules, unfinished } = parse(stored ?? '');
    if (stored === undefined || !unfinished) return;
    const finished = rules.length === 0 ? '' : JSON.stringify({ rules } satisfies VoidState);
    if (await moveBallots(polls, id, rules, stored)) await polls.replaceVoidRules(id, stored, finished);
  }
}

/** @returns false if other rules are stored by now */
async function moveBallots(
  polls: VoidPolls,
  id: PollId,
  rules: readonly VoidRule[],
  stored: string,
): Promise<boolean> {
  const due = { voided: [] as string[], counted: [] as string[] };
  const flush = async (least: number) => {
    for (const [kind, ids] of Object.entries(due))
      while (ids.length >= least)
        if (!(await polls.setVoided(id, ids.splice(0, BATCH), kind === 'voided', stored))) return false;
    return true;
  };
  for await (const ballots of polls.readBallots(id, 'unordered')) {
    for (const ballot of ballots) {
      const voided = rules.some(rule => isVoidedBy(rule, ballot));
      if (voided !== (ballot.voided ?? false)) due[voided ? 'voided' : 'counted'].push(ballot.ballotId);
    }
    if (!(await flush(BATCH))) return false;
  }
  return flush(1);
}

function parse(text: string): VoidState {
  return text === '' ? { rules: [] } : (JSON.parse(text) as VoidState);
}
