import type { Proof } from '../../poll/ballot.ts';
import type { Markup } from '../page/html.ts';

/** A check is valid for one voter in one poll, or for join codes. */
export interface CheckSubject {
  readonly pollId: string;
  readonly voter: string;
}

export interface CheckAnswer extends CheckSubject {
  /** All fields of the form; each check reads its own. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The ballot that the check is spent on. A retry of it may present the same answer again. */
  readonly ballotId: string;
  readonly ip: string;
}

export type CheckVerdict =
  /** `ofVoter`: only the voter cookie that the check was issued for can present the proof. */
  | { readonly outcome: 'passed'; readonly proof: Proof; readonly ofVoter: boolean }
  /** No answer, most likely because no script ran. */
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'expired' }
  | { readonly outcome: 'failed' }
  /** The remote service did not reply. */
  | { readonly outcome: 'unreachable' };

/** Keeps programs from voting: by proof of work on this server, or by a remote service. */
export interface HumanCheck {
  /**
   * Returns the part of the form that holds the check. MUST NOT include a task of this server's
   * unless the poll is open.
   */
  render(subject: CheckSubject, isOpen: boolean): Promise<Markup>;

  /**
   * Returns a task as JSON, for a page whose poll has opened or whose task has expired; undefined
   * for checks that renew themselves. Call it for open polls only.
   */
  renew(subject: CheckSubject): Promise<object | undefined>;

  /** MUST NOT reject, whatever the form contains. */
  verify(answer: CheckAnswer): Promise<CheckVerdict>;

  readonly sources: readonly string[];
  readonly scripts: readonly string[];
}
