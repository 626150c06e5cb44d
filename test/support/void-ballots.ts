import {
  addVoidRule,
  removeVoidRule,
  settleBallots,
  type VoidPolls,
  type VoidRules,
} from '../../src/engine/void-ballots.ts';
import type { PollId } from '../../src/poll/poll.ts';
import type { VoidRule } from '../../src/poll/void-rule.ts';

/** Adds a rule and settles the ballots. */
export async function voidBallots(polls: VoidPolls, id: PollId, rule: VoidRule): Promise<VoidRules> {
  const rules = await addVoidRule(polls, id, rule);
  if (rules) await settleBallots(polls, id);
  return rules;
}

/** Removes a rule and settles the ballots. */
export async function restoreBallots(polls: VoidPolls, id: PollId, ruleId: string): Promise<VoidRules> {
  const rules = await removeVoidRule(polls, id, ruleId);
  if (rules) await settleBallots(polls, id);
  return rules;
}
