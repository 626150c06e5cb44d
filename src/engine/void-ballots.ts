import type { PollId } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { idOfRule, isVoidedBy, MAX_RULES, type VoidRule } from '../poll/void-rule.ts';
import type { Polls } from './engine.ts';

/** Ballots moved in one step, which holds up other ballots for a few milliseconds. */
const BATCH = 250;

/** As stored in the poll. A ballot is voided if one of the rules matches it. */
interface VoidState {
  readonly rules: readonly VoidRule[];
  /** Ballots may not agree with the rules yet: a process is moving them, or has ended before it was done. */
  readonly unfinished?: true;
}

export type VoidPolls = Pick<Polls, 'findVoidRules' | 'replaceVoidRules' | 'setVoided' | 'readBallots'>;

/**
 * Takes all ballots that match a rule out of the counts, which are exact after each step. Resolves once all are out, to the rules
 * of the poll, or to undefined without a poll. May be repeated after any error.
 *
 * @throws PollError `invalid_request` if the poll has `MAX_RULES` others
 */
export function voidBallots(
  polls: VoidPolls,
  id: PollId,
  rule: VoidRule,
): Promise<readonly VoidRule[] | undefined> {
  const ruleId = idOfRule(rule);
  return applyRules(polls, id, rules => {
    // In its place, so that calls at the same time agree on the rules.
    if (rules.some(one => idOfRule(one) === ruleId))
      return rules.map(one => (idOfRule(one) === ruleId ? rule : one));
    if (rules.length < MAX_RULES) return [...rules, rule];
    const message = `this poll has ${MAX_RULES} rules: take one back first`;
    throw new PollError('invalid_request', { issues: [{ path: 'void', message }] });
  });
}

/** Removes a rule and counts its ballots again, except those that another rule matches. Otherwise as `voidBallots`. */
export function restoreBallots(
  polls: VoidPolls,
  id: PollId,
  ruleId: string,
): Promise<readonly VoidRule[] | undefined> {
  return applyRules(polls, id, rules => rules.filter(rule => idOfRule(rule) !== ruleId));
}

/** Resolves to the rules of a poll, in the order in which they were made; finishes what an ended process has left. */
export async function readVoidRules(polls: VoidPolls, id: PollId): Promise<readonly VoidRule[] | undefined> {
  const text = await polls.findVoidRules(id);
  const { rules, unfinished } = parse(text ?? '');
  return unfinished ? applyRules(polls, id, same => same) : text === undefined ? undefined : rules;
}

async function applyRules(
  polls: VoidPolls,
  id: PollId,
  change: (rules: readonly VoidRule[]) => readonly VoidRule[],
): Promise<readonly VoidRule[] | undefined> {
  for (;;) {
    const stored = await polls.findVoidRules(id);
    if (stored === undefined) return undefined;
    const rules = change(parse(stored).rules);
    const unfinished = JSON.stringify({ rules, unfinished: true } satisfies VoidState);
    const finished = rules.length === 0 ? '' : JSON.stringify({ rules } satisfies VoidState);
    // Each step fails if another call has replaced the rules, and this one then starts again with those.
    if (
      (await polls.replaceVoidRules(id, stored, unfinished)) &&
      (await moveBallots(polls, id, rules, unfinished)) &&
      (await polls.replaceVoidRules(id, unfinished, finished))
    )
      return rules;
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
