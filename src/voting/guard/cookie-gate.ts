import type { IncomingMessage } from 'node:http';
import { callerAddress, rawCaller, trustedProxies } from '../../http/caller.ts';
import { refusals } from '../../metrics/catalogue.ts';
import type { CookieJar } from '../voter/cookie-jar.ts';
import { newVoter, VOTER_SECONDS } from '../voter/viewer.ts';
import type { ReadSecret, VotingSecret } from '../voter/voting-secret.ts';

const SECOND_MS = 1_000;

interface CookieGateOptions {
  readonly secret: ReadSecret;
  readonly cookies: CookieJar;
  readonly trustProxy: readonly string[] | undefined;
  /** Requests without a sealed voter cookie that one address may make in a second. */
  readonly newcomers: number;
}

/**
 * Limits requests without a sealed voter cookie by address, as SYN cookies limit handshakes: above the limit such a request only
 * gets the cookie and is to be repeated with it. Requests with a sealed cookie always pass, so one address cannot block its voters.
 * Counts in this process alone.
 */
export class CookieGate {
  readonly #readSecret: ReadSecret;
  readonly #cookies: CookieJar;
  readonly #isTrusted: (text: string) => boolean;
  readonly #newcomers: number;
  /** Requests of this second, by address. */
  readonly #counts = new Map<string, number>();
  #second = 0;
  #secret: VotingSecret | undefined;

  constructor({ secret, cookies, trustProxy = [], newcomers }: CookieGateOptions) {
    this.#readSecret = secret;
    this.#cookies = cookies;
    this.#isTrusted = trustedProxies(trustProxy);
    this.#newcomers = newcomers;
  }

  /**
   * Counts a request.
   *
   * @returns undefined where it passes, or the `Set-Cookie` header that is the answer to it
   */
  check(request: IncomingMessage, nowMs: number): string | undefined {
    const secret = this.#secret;
    if (!secret) {
      // Without the secret no seal can be checked, and no handler can do any work either.
      this.#readSecret().then(
        read => {
          this.#secret = read;
        },
        () => {},
      );
      return undefined;
    }
    const cookie = this.#cookies.readVoter(request.headers);
    if (secret.unseal('voter', cookie) !== undefined) return undefined;
    if (this.#count(callerAddress(rawCaller(request, this.#isTrusted)), nowMs) <= this.#newcomers)
      return undefined;
    refusals.of({ surface: 'voting', code: 'voter_cookie_missing' }).value += 1;
    return this.#cookies.voterHeader(secret.seal('voter', newVoter()), VOTER_SECONDS);
  }

  #count(address: string, nowMs: number): number {
    const second = Math.floor(nowMs / SECOND_MS);
    if (second !== this.#second) this.#counts.clear();
    this.#second = second;
    const count = (this.#counts.get(address) ?? 0) + 1;
    this.#counts.set(address, count);
    return count;
  }
}
