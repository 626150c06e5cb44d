import type { FastifyBaseLogger } from 'fastify';
import { parseAddress } from '../../http/caller.ts';

/** A family has fewer phones, and behind a proxy that hides its callers a show has them within seconds. */
const MANY_VOTERS = 20;
const PRIVATE: ReadonlySet<string> = new Set(['private', 'loopback', 'linkLocal', 'uniqueLocal']);
/** Addresses looked at; on a local network every phone has one of its own. */
const MOST_ADDRESSES = 1_000;
const ADVICE =
  'If it is a proxy, set TRUST_PROXY to it and let every proxy send X-Forwarded-For. Otherwise votes are rejected as repeated.';

/**
 * Notices a front end that sees its proxy instead of its voters: where one vote counts from each address, nobody but the first
 * can vote then. Says so once.
 */
export class SharedAddressWatch {
  readonly #log: FastifyBaseLogger;
  readonly #voters = new Map<string, Set<string>>();
  #isTold = false;

  constructor(log: FastifyBaseLogger) {
    this.#log = log;
  }

  /** @param voter the id in the voter cookie */
  see(ip: string, voter: string): void {
    if (this.#isTold) return;
    const known = this.#voters.get(ip);
    if (!known && (this.#voters.size >= MOST_ADDRESSES || !isPrivate(ip))) return;
    const voters = known ?? new Set();
    this.#voters.set(ip, voters.add(voter));
    if (voters.size < MANY_VOTERS) return;
    this.#isTold = true;
    this.#voters.clear();
    this.#log.warn({ address: ip, voters: MANY_VOTERS, advice: ADVICE }, 'voters share a private address');
  }
}

function isPrivate(ip: string): boolean {
  return PRIVATE.has(parseAddress(ip)?.range() ?? '');
}
