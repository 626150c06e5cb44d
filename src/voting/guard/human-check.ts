import type { Proof } from '../../poll/ballot.ts';
import type { Markup } from '../page/html.ts';

/** Who the check is for: a check passed for one poll and voter is worth nothing for another. */
export interface CheckSubject {
  readonly pollId: string;
  /** The voter as the signed cookie has it. */
  readonly voter: string;
}

export interface CheckAnswer extends CheckSubject {
  /** What the form carried; each check reads its own field. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The ballot that the check is spent on: a retry of it may show the same answer again. */
  readonly ballotId: string;
  readonly ip: string;
}

export type CheckVerdict =
  /** `ofVoter`: nobody can show it but who has the voter cookie that it was given for. */
  | { readonly outcome: 'passed'; readonly proof: Proof; readonly ofVoter: boolean }
  /** Nothing was handed in: most likely no script ran. */
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'expired' }
  | { readonly outcome: 'failed' }
  /** A check that runs elsewhere could not be asked. */
  | { readonly outcome: 'unreachable' };

/** Tells people from programs. Adapters: the proof of work that runs here, and services that run elsewhere. */
export interface HumanCheck {
  /** The part of the form that holds the check. */
  render(subject: CheckSubject): Promise<Markup>;

  /** A new task as JSON for a page that has been open for long; undefined where the check looks after itself. */
  renew(subject: CheckSubject): Promise<object | undefined>;

  /** MUST NOT reject for anything that the form carries. */
  verify(answer: CheckAnswer): Promise<CheckVerdict>;

  /** Origins that the page must be allowed to load from. */
  readonly sources: readonly string[];
  readonly scripts: readonly string[];
}
