import type { FastifyRequest } from 'fastify';
import type { BallotOutcome } from '../../poll/ballot.ts';
import type { AnswerId, Poll } from '../../poll/poll.ts';
import type { CheckVerdict } from '../guard/human-check.ts';
import { type Viewer, voterKeys } from '../voter/viewer.ts';
import type { VotingFront } from '../voting-front.ts';
import { checkBallotForm, type FilledForm } from './ballot-form.ts';
import { ballotIdOf, readBallotToken } from './ballot-token.ts';
import type { NotCounted } from './outcome-notice.ts';

export interface Counted {
  /** The voter as the engine knows them in this poll. */
  readonly voter: string;
  readonly answers: readonly AnswerId[];
}

/** Counted now or by an earlier try of the same form; otherwise the reason why not. */
export async function castFromForm(
  front: VotingFront,
  poll: Poll,
  viewer: Viewer,
  filled: FilledForm,
  request: FastifyRequest,
): Promise<Counted | NotCounted | 'poll_not_found'> {
  const formId = readBallotToken(await front.secret(), filled.token, poll.id, viewer.voter);
  if (formId === undefined) return 'form_foreign';
  if (poll.settings.only_reg && !front.signIn) return 'sign_in_missing';
  if (poll.settings.only_reg && viewer.account === undefined) return 'signed_out';
  if (!poll.settings.vpn && (await front.vpnList?.has(request.ip))) return 'vpn_refused';
  const choice = checkBallotForm(poll, filled);
  if (typeof choice === 'string') return choice;
  const ballotId = ballotIdOf(formId, choice.answers);
  const verdict = await front.humanCheck.verify({
    pollId: poll.id,
    voter: viewer.voter,
    fields: filled.fields,
    ballotId,
    ip: request.ip,
  });
  if (verdict.outcome !== 'passed') return CHECK_REASONS[verdict.outcome];

  const keys = await voterKeys(front, poll, viewer, request);
  const { outcome } = await front.engine.castBallot({
    pollId: poll.id,
    ballotId,
    ...keys,
    ...choice,
    proof: verdict.proof,
  });
  if (outcome === 'accepted' || outcome === 'repeated') return { voter: keys.voter, answers: choice.answers };
  return reasonOf(outcome, poll);
}

const CHECK_REASONS: Record<Exclude<CheckVerdict['outcome'], 'passed'>, NotCounted> = {
  missing: 'check_missing',
  expired: 'check_expired',
  failed: 'check_failed',
  unreachable: 'check_unreachable',
};

function reasonOf(
  outcome: Exclude<BallotOutcome, 'accepted' | 'repeated'>,
  poll: Poll,
): NotCounted | 'poll_not_found' {
  if (outcome === 'invalid_answers') return 'unknown_answer';
  if (outcome === 'name_required') return 'name_missing';
  if (outcome === 'duplicate_voter' && poll.settings.only_reg) return 'duplicate_account';
  return outcome;
}
