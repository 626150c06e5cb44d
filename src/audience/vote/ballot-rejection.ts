import { fill } from '../../locales/i18n.ts';
import type { Phrases } from '../../locales/phrases.ts';
import type { CheckVerdict } from '../../pages/human-check/human-check.ts';
import type { Notice } from '../../pages/page/components.ts';
import type { BallotOutcome, RejectionReason } from '../../poll/ballot.ts';
import { choicesOf, type Poll, type PollStatus } from '../../poll/poll.ts';

/** Why a ballot was not counted: by its form, by this server, or by the engine. */
const STATUSES = {
  no_answer: 400,
  too_many_answers: 400,
  wrong_number: 400,
  unknown_answer: 400,
  name_missing: 400,
  name_unusable: 400,
  cookie_missing: 400,
  form_foreign: 400,
  vpn_refused: 403,
  signed_out: 403,
  sign_in_missing: 403,
  check_missing: 400,
  check_expired: 400,
  check_failed: 400,
  check_unreachable: 503,
  duplicate_account: 409,
  duplicate_voter: 409,
  duplicate_address: 409,
  round_over: 409,
  poll_closed: 409,
  poll_not_open: 409,
  proof_used: 409,
  change_not_allowed: 409,
  too_many_changes: 409,
  change_late: 409,
} as const;

export type BallotRejection = keyof typeof STATUSES;

export const CHECK_REJECTIONS: Record<Exclude<CheckVerdict['outcome'], 'passed'>, BallotRejection> = {
  missing: 'check_missing',
  expired: 'check_expired',
  failed: 'check_failed',
  unreachable: 'check_unreachable',
};

/** Rejections that another form would not change. */
const FINAL: ReadonlySet<BallotRejection | undefined> = new Set([
  'duplicate_voter',
  'duplicate_account',
  'duplicate_address',
  'poll_closed',
  'sign_in_missing',
  'change_not_allowed',
  'too_many_changes',
  'change_late',
] as const);

const SETTLED_BY: Readonly<Partial<Record<BallotRejection, Notice['settledBy']>>> = {
  no_answer: 'answer',
  too_many_answers: 'answer',
  wrong_number: 'answer',
  unknown_answer: 'answer',
  name_missing: 'name',
  name_unusable: 'name',
};

/** What the poll's creator sees. Without a reason: forms that voters complete and send again. */
const REASONS: Readonly<Partial<Record<BallotRejection, RejectionReason>>> = {
  duplicate_address: 'same_network',
  poll_closed: 'closed',
  poll_not_open: 'closed',
  round_over: 'closed',
  duplicate_voter: 'already_voted',
  duplicate_account: 'already_voted',
  change_not_allowed: 'already_voted',
  too_many_changes: 'already_voted',
  change_late: 'closed',
  check_missing: 'failed_check',
  check_expired: 'failed_check',
  check_failed: 'failed_check',
  check_unreachable: 'failed_check',
  proof_used: 'failed_check',
  cookie_missing: 'other',
  form_foreign: 'other',
  unknown_answer: 'other',
  vpn_refused: 'other',
  signed_out: 'other',
  sign_in_missing: 'other',
};

export function reasonOfRejection(rejection: BallotRejection): RejectionReason | undefined {
  return REASONS[rejection];
}

export function statusOfRejection(reason: BallotRejection): number {
  return STATUSES[reason];
}

export function isFinal(reason: BallotRejection | undefined): boolean {
  return FINAL.has(reason);
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
  return { tone: 'problem', title, text: fill(text, values), settledBy: SETTLED_BY[reason] };
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
  if (status === 'open' || isFinal(reason)) return reason;
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
