import type { BallotOutcome } from '../../poll/ballot.ts';
import type { Phrases } from '../../web/phrases.ts';
import type { Notice } from '../page/notice.ts';
import type { FormFault } from './ballot-form.ts';

/** Why a ballot was not counted. */
export type NotCounted =
  | Exclude<BallotOutcome, 'accepted' | 'repeated' | 'poll_not_found' | 'invalid_answers' | 'name_required'>
  | FormFault
  | 'duplicate_account'
  | 'cookie_missing'
  | 'form_foreign'
  | 'vpn_refused'
  | 'signed_out'
  | 'sign_in_missing'
  | 'check_missing'
  | 'check_expired'
  | 'check_failed'
  | 'check_unreachable';

const STATUSES: Readonly<Record<NotCounted, number>> = {
  duplicate_voter: 409,
  duplicate_account: 409,
  duplicate_address: 409,
  poll_closed: 409,
  poll_not_open: 409,
  proof_used: 409,
  no_answer: 400,
  too_many_answers: 400,
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
};

const SETTLED_BY: Readonly<Partial<Record<NotCounted, Notice['settledBy']>>> = {
  no_answer: 'answer',
  too_many_answers: 'answer',
  unknown_answer: 'answer',
  name_missing: 'name',
  name_unusable: 'name',
};

export function statusOfNotCounted(reason: NotCounted): number {
  return STATUSES[reason];
}

export function rejectionNotice({ vote }: Phrases, reason: NotCounted): Notice {
  return { tone: 'problem', ...vote.notCounted[reason], settledBy: SETTLED_BY[reason] };
}
