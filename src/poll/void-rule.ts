import type { StoredBallot } from './ballot.ts';
import type { ChatPlatform } from './chat-platform.ts';

/**
 * Which ballots a creator has voided: those of one network, of one chat or some of its users, or of
 * one period. Pure.
 */
export type VoidRule = VoidedNetwork | VoidedSource | VoidedUsers | VoidedPeriod;

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

/** Ballots of users whom moderators have banned, or whose votes they have deleted, until now. */
export interface VoidedUsers {
  readonly source: ChatPlatform;
  /** Their ids; at most `MAX_USERS`. */
  readonly ballots: readonly string[];
  /** When the last one was voided. */
  readonly toMs: number;
}

/** Some 80 kB of a poll's rules. */
export const MAX_USERS = 2_000;

export interface VoidedPeriod {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the id of a rule, which is the same for the same network, chat or period. */
export function idOfRule(rule: VoidRule): string {
  if ('network' in rule) return rule.network;
  if ('ballots' in rule) return idOfUsersRule(rule.source);
  return 'source' in rule ? `chat-${rule.source}` : `${rule.fromMs}-${rule.toMs}`;
}

export function idOfUsersRule(source: ChatPlatform): string {
  return `chat-${source}-moderators`;
}

export function isVoidedBy(rule: VoidRule, { ballotId, castAtMs, network, source }: StoredBallot): boolean {
  if ('ballots' in rule) return source === rule.source && rule.ballots.includes(ballotId);
  if (castAtMs > rule.toMs) return false;
  if ('network' in rule) return network === rule.network;
  return 'source' in rule ? source === rule.source : castAtMs >= rule.fromMs;
}
