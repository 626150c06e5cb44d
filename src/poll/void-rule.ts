import type { StoredBallot } from './ballot.ts';

/** Which ballots a creator has voided: those of one network, or of one period. Pure. */
export type VoidRule = VoidedNetwork | VoidedPeriod;

/** As ballots have it. */
export const NETWORK_TAG = /^[\w-]{1,64}$/;
/** Rules of one poll at once. */
export const MAX_RULES = 100;

/** The ballots that a network cast until `toMs`. */
export interface VoidedNetwork {
  /** Its tag, as ballots have it. */
  readonly network: string;
  /** UNIX time in milliseconds, inclusive, by the engine's clock; the same for all times here. */
  readonly toMs: number;
}

export interface VoidedPeriod {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the id of a rule, which is the same for the same network or the same period. */
export function idOfRule(rule: VoidRule): string {
  return 'network' in rule ? rule.network : `${rule.fromMs}-${rule.toMs}`;
}

export function isVoidedBy(rule: VoidRule, { castAtMs, network }: StoredBallot): boolean {
  if (castAtMs > rule.toMs) return false;
  return 'network' in rule ? network === rule.network : castAtMs >= rule.fromMs;
}
