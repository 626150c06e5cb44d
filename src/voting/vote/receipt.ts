import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerId, Poll } from '../../poll/poll.ts';
import type { CookieJar } from '../voter/cookie-jar.ts';
import type { ReadSecret } from '../voter/voting-secret.ts';

const YEAR_SECONDS = 365 * 86_400;

/** What a voter's counted ballot held, kept by the voter's own browser: the engine knows no voter by name. */
export class Receipts {
  readonly #secret: ReadSecret;
  readonly #cookies: CookieJar;

  constructor(secret: ReadSecret, cookies: CookieJar) {
    this.#secret = secret;
    this.#cookies = cookies;
  }

  /** @param voterKey the voter as the engine knows them in this poll */
  async give(reply: FastifyReply, poll: Poll, voterKey: string, answers: readonly AnswerId[]): Promise<void> {
    const positions = poll.answers.flatMap(({ id }, index) => (answers.includes(id) ? [index] : []));
    const receipt = (await this.#secret()).seal('receipt', positions.join('-'), poll.id, voterKey);
    this.#cookies.write(reply, 'receipt', receipt, { maxAgeSeconds: YEAR_SECONDS, path: `/${poll.id}` });
  }

  /**
   * The answers that were counted for this voter, or undefined where this browser has no receipt.
   *
   * @param findVoterKey the voter as the engine knows them in this poll
   */
  async read(
    request: FastifyRequest,
    poll: Poll,
    findVoterKey: () => Promise<string>,
  ): Promise<AnswerId[] | undefined> {
    const sealed = this.#cookies.read(request, 'receipt', `/${poll.id}`);
    if (sealed === undefined) return undefined;
    const text = (await this.#secret()).unseal('receipt', sealed, poll.id, await findVoterKey());
    return text?.split('-').flatMap(position => poll.answers[Number(position)]?.id ?? []);
  }
}
