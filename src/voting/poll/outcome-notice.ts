import type { BallotOutcome } from '../../poll/ballot.ts';
import type { Notice } from '../page/notice.ts';
import { type FormFault, MAX_NAME_LENGTH } from './ballot-form.ts';

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

interface Words {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly settledBy?: Notice['settledBy'];
}

const KEPT = 'What you chose is still chosen.';

const NOTICES: Record<NotCounted, Words> = {
  duplicate_voter: {
    status: 409,
    title: 'You have already voted here',
    text: 'Your first vote counts and stays as it is. This one was not counted.',
  },
  duplicate_account: {
    status: 409,
    title: 'This account has already voted',
    text: 'The first vote from your account counts and stays as it is. This one was not counted.',
  },
  duplicate_address: {
    status: 409,
    title: 'Your network has already voted',
    text: 'This poll takes one vote from each network, so this one was not counted. If it was somebody else, vote from another network, for example over mobile data.',
  },
  poll_closed: {
    status: 409,
    title: 'Voting has ended',
    text: 'Your vote came after the end and was not counted.',
  },
  poll_not_open: {
    status: 409,
    title: 'Voting has not begun',
    text: `Your vote came before the beginning and was not counted. Press Vote once voting has begun. ${KEPT}`,
  },
  proof_used: {
    status: 409,
    title: 'That check was already used',
    text: `This attempt was not counted. A new check is under way: press Vote again. ${KEPT}`,
  },
  no_answer: {
    status: 400,
    title: 'Choose an answer first',
    text: 'Nothing was counted yet. Choose, then press Vote.',
    settledBy: 'answer',
  },
  too_many_answers: {
    status: 400,
    title: 'Choose one answer only',
    text: 'This poll takes one answer from each voter. Nothing was counted yet. Choose one, then press Vote.',
    settledBy: 'answer',
  },
  unknown_answer: {
    status: 400,
    title: 'That answer is not part of this poll',
    text: 'Nothing was counted yet. Choose one of the answers below, then press Vote.',
    settledBy: 'answer',
  },
  name_missing: {
    status: 400,
    title: 'Your name is missing',
    text: `This poll asks voters for a name. Nothing was counted yet: fill it in and press Vote. ${KEPT}`,
    settledBy: 'name',
  },
  name_unusable: {
    status: 400,
    title: 'That name cannot be used',
    text: `A name has up to ${MAX_NAME_LENGTH} letters and no control characters. Nothing was counted yet: change it and press Vote. ${KEPT}`,
    settledBy: 'name',
  },
  cookie_missing: {
    status: 400,
    title: 'Your browser did not send our cookie',
    text: `Without it we cannot tell one voter from another, so nothing was counted. Allow cookies for this site and press Vote. ${KEPT}`,
  },
  form_foreign: {
    status: 400,
    title: 'This form was made for another visit',
    text: `Nothing was counted yet. Here is a fresh one: press Vote again. ${KEPT}`,
  },
  vpn_refused: {
    status: 403,
    title: 'This poll takes no votes over a VPN',
    text: `Your vote was not counted. Turn the VPN off and press Vote again. ${KEPT}`,
  },
  signed_out: {
    status: 403,
    title: 'Sign in to vote',
    text: 'Your vote was not counted yet. Sign in, then choose and press Vote.',
  },
  sign_in_missing: {
    status: 403,
    title: 'Sign-in is not set up here',
    text: 'This poll takes votes from signed-in people only, and this site has no sign-in yet. Your vote was not counted. Only whoever runs the site can change that.',
  },
  check_missing: {
    status: 400,
    title: 'The check that you are human did not run',
    text: `It needs JavaScript, and this attempt was not counted. Wait for it to finish and press Vote again. ${KEPT}`,
  },
  check_expired: {
    status: 400,
    title: 'This page was open for a long while',
    text: `The check that you are human ran out. Press Vote again; it cannot count twice. ${KEPT}`,
  },
  check_failed: {
    status: 400,
    title: 'The check that you are human failed',
    text: `This attempt was not counted. A new check is under way: press Vote again. ${KEPT}`,
  },
  check_unreachable: {
    status: 503,
    title: 'The check that you are human cannot be reached',
    text: `This attempt was not counted. Wait a moment and press Vote again; it cannot count twice. ${KEPT}`,
  },
};

export function tellNotCounted(reason: NotCounted): Notice & { readonly status: number } {
  return { tone: 'problem', ...NOTICES[reason] };
}
