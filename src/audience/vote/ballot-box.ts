import { hash, randomUUID } from 'node:crypto';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { callerIp, parseAddress } from '../../http/caller.ts';
import type { CheckAnswer, CheckVerdict } from '../../pages/human-check/human-check.ts';
import { formText } from '../../pages/page/form-text.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import type { Viewer } from '../../pages/voter/viewer.ts';
import type { VotingSecret } from '../../pages/voter/voting-secret.ts';
import { pollText } from '../../poll/input-rules.ts';
import {
  type AnswerId,
  choicesOf,
  editedAtMs,
  nameOfRound,
  type Poll,
  type PollId,
} from '../../poll/poll.ts';
import { visibleText } from '../../poll/visible-text.ts';
import { type BallotRejection, rejectionOf } from './ballot-rejection.ts';
import type { CountedBallot, Receipt } from './receipt.ts';

export const MAX_NAME_LENGTH = 80;
const MAX_ANSWERS = 100;
const nameSchema = pollText({ min: 1, max: MAX_NAME_LENGTH });

/** A form as it was sent. After a rejection it is shown again. */
export interface FilledForm {
  readonly answers: readonly string[];
  readonly name: string;
  readonly token: string;
  /** Which its token claims. */
  readonly round: number;
  /** True if the voter has voted before. */
  readonly isChange: boolean;
  /** A change without answers, by a button of its own. */
  readonly isWithdrawal: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Before the token of a form, from the second round on. */
const ROUND = /^(\d{1,3})~/;

export function readBallotForm(body: unknown): FilledForm {
  const fields: Readonly<Record<string, unknown>> = Object(body);
  const isWithdrawal = fields['withdraw'] !== undefined;
  const given = [fields['answer']].flat().filter(text => typeof text === 'string');
  const answers = isWithdrawal ? [] : given;
  const token = formText(fields, 'ballot');
  return {
    isChange: isWithdrawal || fields['change'] !== undefined,
    isWithdrawal,
    answers: [...new Set(answers)].slice(0, MAX_ANSWERS + 1),
    name: formText(fields, 'name'),
    token,
    round: Number(ROUND.exec(token)?.[1] ?? 1),
    fields,
  };
}

/** The engine checks again; this check gives a reason for each fault. */
function checkBallotForm(
  poll: Poll,
  { answers, name, isChange, isWithdrawal }: FilledForm,
): { answers: AnswerId[]; name: string | undefined } | BallotRejection {
  if (answers.length === 0 && !isWithdrawal) return 'no_answer';
  if (answers.length > 1 && !poll.settings.allowMultiple) return 'too_many_answers';
  const known = new Set(poll.answers.map(answer => answer.id));
  if (answers.some(id => !known.has(id))) return 'unknown_answer';
  const [least, most] = choicesOf(poll);
  if (!isWithdrawal && (answers.length < least || answers.length > most)) return 'wrong_number';
  // A changed ballot keeps its name.
  if (!poll.settings.requireName || isChange) return { answers: [...answers], name: undefined };
  if (visibleText(name) === '') return 'name_missing';
  const checked = nameSchema.safeParse(name);
  return checked.success ? { answers: [...answers], name: checked.data } : 'name_unusable';
}

/**
 * Returns the ballot id of a form, sealed for one round of a poll and one voter so that no other
 * voter can spend it.
 */
export function issueBallotToken(secret: VotingSecret, poll: Poll, voter: string): string {
  const token = secret.seal('ballot', randomUUID(), nameOfRound(poll), voter);
  return poll.round === undefined ? token : `${poll.round}~${token}`;
}

export function readBallotToken(
  secret: VotingSecret,
  { token, round }: Pick<FilledForm, 'token' | 'round'>,
  pollId: PollId,
  voter: string,
): string | undefined {
  return secret.unseal('ballot', token.replace(ROUND, ''), nameOfRound({ id: pollId, round }), voter);
}

/**
 * Returns the id that the engine gets, as a UUID of version 8. It covers the answers, so that only
 * a true retry is `repeated`: the same form with another choice is another ballot.
 *
 * @param replaced the id of the ballot that a change replaces: back to an earlier choice with the
 *   same form is another change
 */
function ballotIdOf(formId: string, answers: readonly string[], replaced: readonly string[]): string {
  const digest = hash('sha256', JSON.stringify([formId, ...[...answers].sort(), ...replaced]), 'hex');
  return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}

/** A change needs no second human check for as long after one: UNIX time in milliseconds. */
const CHECK_LASTS_MS = 600_000;

export function hasFreshCheck(receipt: Receipt | undefined, nowMs: number): boolean {
  const { checkedAtMs = 0 } = receipt ?? {};
  return checkedAtMs <= nowMs && nowMs < checkedAtMs + CHECK_LASTS_MS;
}

/** Whether a voter may change a ballot. The engine decides, and needs no receipt where the poll allows changes. */
export function mayChange(poll: Poll, receipt: Receipt | undefined): boolean {
  if (receipt?.ballotId === undefined) return receipt === undefined && poll.settings.allowChange;
  return poll.settings.allowChange || (editedAtMs(poll) ?? 0) > receipt.editedAtMs;
}

/** Checks and casts ballots. */
export class BallotBox {
  readonly #dependencies: PageDependencies;
  readonly #observeAddress: (ip: string, voter: string) => void;

  constructor(dependencies: PageDependencies) {
    this.#dependencies = dependencies;
    this.#observeAddress = watchSharedAddresses(dependencies.log);
  }

  /**
   * Returns the counted ballot, also for a retry of the same form, or the reason for the rejection.
   *
   * @param receipt of this voter
   */
  async cast(
    poll: Poll,
    viewer: Viewer,
    filled: FilledForm,
    request: FastifyRequest,
    receipt: Receipt | undefined,
  ): Promise<CountedBallot | BallotRejection | 'poll_not_found'> {
    const { engine, secret, viewers, isVpn, clock, signInReady } = this.#dependencies;
    const { requireSignIn, allowVpn } = poll.settings;
    const ip = callerIp(request);
    const formId = readBallotToken(await secret(), filled, poll.id, viewer.voter);
    if (formId === undefined) return 'form_foreign';
    if (filled.round !== (poll.round ?? 1)) return 'round_over';
    if (requireSignIn && !signInReady) return 'sign_in_missing';
    if (requireSignIn && viewer.account === undefined) return 'signed_out';
    const behindVpn = await isVpn(ip);
    if (!allowVpn && behindVpn) return 'vpn_refused';
    const choice = checkBallotForm(poll, filled);
    if (typeof choice === 'string') return choice;
    const { fields, isChange } = filled;
    const replaced = isChange && receipt?.ballotId !== undefined ? [receipt.ballotId] : [];
    const ballotId = ballotIdOf(formId, choice.answers, replaced);
    const subject = { pollId: poll.id, voter: viewer.voter, fields, ballotId, ip };
    const verdict = await this.#verify(subject, isChange ? receipt : undefined);
    if (typeof verdict === 'string') return verdict;

    this.#observeAddress(ip, viewer.voter);
    const keys = await viewers.keysFor(poll, viewer, request);
    // If each cookie is one voter, the voter's single ballot spends the proof. One cookie may have many accounts.
    const isSpentByVoter = verdict?.ofVoter && !requireSignIn;
    const proof = isSpentByVoter ? undefined : verdict?.proof;
    const signedIn = requireSignIn && viewer.account !== undefined;
    const change = isChange ? { receipt: receipt?.ballotId } : undefined;
    const { round } = poll;
    const facts = { signedIn, behindVpn };
    const ballot = { pollId: poll.id, round, ballotId, ...keys, ...choice, proof, ...facts, change };
    const { outcome } = await engine.polls.cast(ballot);
    if (outcome === 'accepted' || outcome === 'repeated')
      return {
        voter: keys.voter,
        answers: choice.answers,
        ballotId,
        checkedAtMs: verdict ? clock() : (receipt?.checkedAtMs ?? 0),
        editedAtMs: editedAtMs(poll) ?? 0,
      };
    if (isChange && outcome === 'poll_closed') return 'change_late';
    return outcome === 'poll_not_found' ? outcome : rejectionOf(outcome, requireSignIn);
  }

  /** @param receipt of a change @returns undefined if the voter passed a check a short while ago */
  async #verify(
    answer: CheckAnswer,
    receipt: Receipt | undefined,
  ): Promise<Extract<CheckVerdict, { outcome: 'passed' }> | undefined | BallotRejection> {
    const { humanCheck, clock } = this.#dependencies;
    if (hasFreshCheck(receipt, clock())) return undefined;
    const verdict = await humanCheck.verify(answer);
    if (verdict.outcome === 'passed') return verdict;
    // The form had none when it was sent.
    const isOld = verdict.outcome === 'missing' && receipt !== undefined;
    return isOld ? 'check_expired' : `check_${verdict.outcome}`;
  }
}

/** More phones than a family has. Behind a proxy that hides its clients, a show reaches this within seconds. */
const MANY_VOTERS = 20;
const PRIVATE: ReadonlySet<string> = new Set(['private', 'loopback', 'linkLocal', 'uniqueLocal']);
/** On a local network every phone has an address. */
const MAX_ADDRESSES = 1_000;
const ADVICE =
  'If it is a proxy, set TRUST_PROXY to it and let every proxy send X-Forwarded-For. Otherwise votes are rejected as repeated.';

/**
 * Logs once if many voters share a private address: it is probably a proxy's, and one vote per
 * network counts only the first.
 *
 * @returns what to call for each ballot
 */
function watchSharedAddresses(log: FastifyBaseLogger): (ip: string, voter: string) => void {
  const votersAt = new Map<string, Set<string>>();
  let isDone = false;
  return (ip, voter) => {
    if (isDone) return;
    const known = votersAt.get(ip);
    if (!known && (votersAt.size >= MAX_ADDRESSES || !PRIVATE.has(parseAddress(ip)?.range() ?? ''))) return;
    const voters = known ?? new Set();
    votersAt.set(ip, voters.add(voter));
    if (voters.size < MANY_VOTERS) return;
    isDone = true;
    votersAt.clear();
    log.warn({ address: ip, voters: MANY_VOTERS, advice: ADVICE }, 'voters share a private address');
  };
}
