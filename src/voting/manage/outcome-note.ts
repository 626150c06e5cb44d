import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CookieJar } from '../voter/cookie-jar.ts';
import type { ReadSecret } from '../voter/voting-secret.ts';
import type { ActionOutcome } from './action-outcome.ts';
import { managePath } from './manage-session.ts';

/** Long enough for the redirect on a slow line. */
const NOTE_SECONDS = 60;

/**
 * What a button did, carried over the redirect to the page that says so, once: the page is then read and not sent, so that
 * reloading it or going back to it does nothing again. A cookie carries it, because an address is copied and kept.
 */
export class OutcomeNotes {
  readonly #secret: ReadSecret;
  readonly #cookies: CookieJar;

  constructor(secret: ReadSecret, cookies: CookieJar) {
    this.#secret = secret;
    this.#cookies = cookies;
  }

  async leave(reply: FastifyReply, pollId: string, outcome: ActionOutcome): Promise<void> {
    const text = Buffer.from(JSON.stringify(outcome)).toString('base64url');
    const sealed = (await this.#secret()).seal('outcome', text, pollId);
    this.#cookies.write(reply, 'outcome', sealed, { maxAgeSeconds: NOTE_SECONDS, path: managePath(pollId) });
  }

  async take(
    request: FastifyRequest,
    reply: FastifyReply,
    pollId: string,
  ): Promise<ActionOutcome | undefined> {
    const path = managePath(pollId);
    const sealed = this.#cookies.read(request, 'outcome', path);
    if (sealed === undefined) return undefined;
    this.#cookies.clear(reply, 'outcome', path);
    const text = (await this.#secret()).unseal('outcome', sealed, pollId);
    return text === undefined ? undefined : JSON.parse(Buffer.from(text, 'base64url').toString());
  }
}
