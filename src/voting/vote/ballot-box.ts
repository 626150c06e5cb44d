import type { FastifyRequest } from 'fastify';
import type { Polls } from '../../engine/polls.ts';
import { callerIp } from '../../http/caller.ts';
import type { BallotOutcome } from '../../poll/ballot.ts';
import type { AnswerId, Poll } from '../../poll/poll.ts';
import type { CheckVerdict, HumanCheck } from '../guard/human-check.ts';
import type { SharedAddressWatch } from '../guard/shared-address.ts';
import type { Viewer, Viewers } from '../voter/viewer.ts';
import type { ReadSecret } from '../voter/voting-secret.ts';
import type { VpnList } from '../voter/vpn-list.ts';
import { checkBallotForm, type FilledForm } from './ballot-form.ts';
import { ballotIdOf, readBallotToken } from './ballot-token.ts';
import type { NotCounted } from './outcome-notice.ts';

export interface CountedBallot {
  /** The voter as the engine knows them in this poll. */
  readonly voter: string;
  readonly answers: readonly AnswerId[];
}

interface BallotBoxParts {
  readonly polls: Polls;
  readonly secret: ReadSecret;
  readonly viewers: Viewers;
  readonly humanCheck: HumanCheck;
  readonly vpnList: VpnList | undefined;
  readonly sharedAddress: SharedAddressWatch;
  /** Whether anybody can be signed in here at all. */
  readonly signInReady: boolean;
}

/** Takes filled-in forms and casts what may be cast. */
export class BallotBox {
  readonly #parts: BallotBoxParts;

  constructor(parts: BallotBoxParts) {
    this.#parts = parts;
  }

  /** Counted now or by an earlier try of the same form; otherwise the reason why not. */
  async cast(
    poll: Poll,
    viewer: Viewer,
    filled: FilledForm,
    request: FastifyRequest,
  ): Promise<CountedBallot | NotCounted | 'poll_not_found'> {
    const { polls, secret, viewers, humanCheck, vpnList, signInReady, sharedAddress } = this.#parts;
    const ip = callerIp(request);
    const formId = readBallotToken(await secret(), filled.token, poll.id, viewer.voter);
    if (formId === undefined) return 'form_foreign';
    if (poll.settings.requireSignIn && !signInReady) return 'sign_in_missing';
    if (poll.settings.requireSignIn && viewer.account === undefined) return 'signed_out';
    if (!poll.settings.allowVpn && (await vpnList?.has(ip))) return 'vpn_refused';
    const choice = checkBallotForm(poll, filled);
    if (typeof choice === 'string') return choice;
    const ballotId = ballotIdOf(formId, choice.answers);
    const verdict = await humanCheck.verify({
      pollId: poll.id,
      voter: viewer.voter,
      fields: filled.fields,
      ballotId,
      ip,
    });
    if (verdict.outcome !== 'passed') return CHECK_REASONS[verdict.outcome];

    sharedAddress.see(ip, viewer.voter);
    const keys = await viewers.keysFor(poll, viewer, request);
    // Where one cookie is one voter, its one ballot spends the proof. Accounts are many to a cookie.
    const isSpentByVoter = verdict.ofVoter && !poll.settings.requireSignIn;
    const proof = isSpentByVoter ? undefined : verdict.proof;
    const { outcome } = await polls.cast({ pollId: poll.id, ballotId, ...keys, ...choice, proof });
    if (outcome === 'accepted' || outcome === 'repeated')
      return { voter: keys.voter, answers: choice.answers };
    return reasonOf(outcome, poll);
  }
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
  if (outcome === 'duplicate_voter' && poll.settings.requireSignIn) return 'duplicate_account';
  return outcome;
}
