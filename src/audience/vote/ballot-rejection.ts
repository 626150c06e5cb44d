import { fill } from '../../locales/i18n.ts';
import type { Phrases } from '../../locales/phrases.ts';
import type { Notice } from '../../pages/page/components.ts';
import type { BallotOutcome, RejectionReason } from '../../poll/ballot.ts';
import { choicesOf, type Poll, type PollStatus } from '../../poll/poll.ts';

interface RejectionRule {
  readonly status: number;
  /** What the poll's creator sees. Without one: forms that voters complete and send again. */
  readonly reason?: RejectionReason;
  readonly settledBy?: Notice['settledBy'];
  /** Another form would be rejected, too. */
  readonly isFinal?: true;
}

/** Why a ballot was not counted: by its form, by this server, or by the engine. */
const RULES = {
  no_answer: { status: 400, settledBy: 'answer' },
  too_many_answers: { status: 400, settledBy: 'answer' },
  wrong_number: { status: 400, settledBy: 'answer' },
  unknown_answer: { status: 400, reason: 'other', settledBy: 'answer' },
  name_missing: { status: 400, settledBy: 'name' },
  name_unusable: { status: 400, settledBy: 'name' },
  cookie_missing: { status: 400, reason: 'other' },
  form_foreign: { status: 400, reason: 'other' },
  vpn_refused: { status: 403, reason: 'other' },
  signed_out: { status: 403, reason: 'other' },
  sign_in_missing: { status: 403, reason: 'other', isFinal: true },
  check_missing: { status: 400, reason: 'failed_check' },
  check_expired: { status: 400, reason: 'failed_check' },
  check_failed: { status: 400, reason: 'failed_check' },
  check_unreachable: { status: 503, reason: 'failed_check' },
  duplicate_account: { status: 409, reason: 'already_voted', isFinal: true },
  duplicate_voter: { status: 409, reason: 'already_voted', isFinal: true },
  duplicate_address: { status: 409, reason: 'same_network', isFinal: true },
  round_over: { status: 409, reason: 'closed' },
  poll_closed: { status: 409, reason: 'closed', isFinal: true },
  poll_not_open: { status: 409, reason: 'closed' },
  proof_used: { status: 409, reason: 'failed_check' },
  change_not_allowed: { status: 409, reason: 'already_voted', isFinal: true },
  too_many_changes: { status: 409, reason: 'already_voted', isFinal: true },
  change_late: { status: 409, reason: 'closed', isFinal: true },
} as const satisfies Record<string, RejectionRule>;

export type BallotRejection = keyof typeof RULES;

export function ruleOfRejection(rejection: BallotRejection): RejectionRule {
  return RULES[rejection];
}

/** @param chosen how many answers the form had */
export function rejectionNotice(
  phrases: Phrases,
  reason: BallotRejection,
  poll: Poll,
  chosen: number,
): Notice {
  const { title, text } = phrases.vote.notCounted[reason];
  const values = { rule: choiceRule(phrases, poll), number: phrases.wording.number(chosen) };
  return { tone: 'problem', title, text: fill(text, values), settledBy: ruleOfRejection(reason).settledBy };
}

/** Says how many answers a ballot has. */
export function choiceRule({ vote, wording }: Phrases, poll: Poll): string {
  const [least, most] = choicesOf(poll);
  const limit = (phrase: string, number: number) => fill(phrase, { number: wording.number(number) });
  if (most === 1) return vote.chooseOne;
  if (least === most) return limit(vote.chooseExactly, most);
  if (most < poll.answers.length && least > 1)
    return fill(vote.chooseBetween, { least: wording.number(least), most: wording.number(most) });
  if (least > 1) return limit(vote.chooseAtLeast, least);
  return most < poll.answers.length ? limit(vote.chooseAtMost, most) : vote.chooseSeveral;
}

/** Returns the reason to show: while the poll is not open, no other form would be counted. */
export function rejectionIn(status: PollStatus, reason: BallotRejection): BallotRejection {
  if (status === 'open' || ruleOfRejection(reason).isFinal) return reason;
  return status === 'upcoming' ? 'poll_not_open' : 'poll_closed';
}

/** Translates an outcome of the engine. */
export function rejectionOf(
  outcome: Exclude<BallotOutcome, 'accepted' | 'repeated' | 'poll_not_found'>,
  requireSignIn: boolean,
): BallotRejection {
  if (outcome === 'sign_in_required') return 'signed_out';
  if (outcome === 'vpn_rejected') return 'vpn_refused';
  if (outcome === 'invalid_answers') return 'unknown_answer';
  if (outcome === 'name_required') return 'name_missing';
  return outcome === 'duplicate_voter' && requireSignIn ? 'duplicate_account' : outcome;
}
