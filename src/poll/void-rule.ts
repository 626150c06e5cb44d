import type { StoredBallot } from './ballot.ts';
import type { ChatPlatform } from './chat-platform.ts';

/** Which ballots a creator has voided: those of one network, of one chat, or of one period. Pure. */
export type VoidRule = VoidedNetwork | VoidedSource | VoidedPeriod;

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

/** The ballots from the chat of a platform until `toMs`. */
export interface VoidedSource {
  readonly source: ChatPlatform;
  readonly toMs: number;
}

export interface VoidedPeriod {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the id of a rule, which is the same for the same network, chat or period. */
export function idOfRule(rule: VoidRule): string {
  if ('network' in rule) return rule.network;
  return 'source' in rule ? `chat-${rule.source}` : `${rule.fromMs}-${rule.toMs}`;
}

export function isVoidedBy(rule: VoidRule, { castAtMs, network, source }: StoredBallot): boolean {
  if (castAtMs > rule.toMs) return false;
  if ('network' in rule) return network === rule.network;
  return 'source' in rule ? source === rule.source : castAtMs >= rule.fromMs;
}
