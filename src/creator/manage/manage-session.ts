import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventStream } from '../../http/event-stream.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import type { Reading } from '../../poll/poll.ts';
import { authorizeManage, presentKey } from '../../poll/poll-key.ts';
import { keysOf } from '../../show/show.ts';
import type { ActionOutcome } from './manage-actions.ts';

const SESSION_SECONDS = 7 * 86_400;
const OUTCOME_SECONDS = 60;

/**
 * Cookies of the manage page, each for one poll: the session, and the outcome of the last form. The
 * session is sealed with the digest of the key that opened it, so it ends with that key.
 */
export class ManageSessions {
  readonly #options: PageDependencies;

  constructor(options: PageDependencies) {
    this.#options = options;
  }

  /** @returns false where the key may not manage this poll, like a view key */
  async open(reply: FastifyReply, reading: Reading, key: string): Promise<boolean> {
    const { engine, secret, cookies, operators, clock } = this.#options;
    const { id } = reading.poll;
    const presented = presentKey(key, 'message');
    const keys = await keysOf(engine, reading);
    if (!presented || authorizeManage(presented, keys, operators.isOperatorKey) !== 'granted') return false;
    const text = String(clock() + SESSION_SECONDS * 1000);
    const sealed = (await secret()).seal('manage', text, id, presented.hash);
    cookies.write(reply, 'manage', sealed, { maxAgeSeconds: SESSION_SECONDS, path: managePath(id) });
    return true;
  }

  async isOpen(request: FastifyRequest, reading: Reading): Promise<boolean> {
    const { engine, secret: readSecret, cookies, operators, clock } = this.#options;
    const { id } = reading.poll;
    const sealed = cookies.read(request, 'manage', managePath(id));
    if (sealed === undefined) return false;
    const secret = await readSecret();
    const { adminKeyHash, showKeyHash } = await keysOf(engine, reading);
    const hashes = [adminKeyHash, ...(showKeyHash ? [showKeyHash] : []), ...operators.hashesFor('manage')];
    return hashes.some(hash => Number(secret.unseal('manage', sealed, id, hash)) > clock());
  }

  /** Closes a stream when the key of its session is revoked. */
  endWithKey(request: FastifyRequest, reading: Reading, stream: EventStream): void {
    const { operators, shows } = this.#options;
    const recheck = async () => {
      if (!(await this.isOpen(request, reading).catch(() => false))) stream.close();
    };
    stream.onClose(operators.onChange(() => void recheck()));
    const { show } = reading.poll;
    if (show) stream.onClose(shows.followKey(show, () => void recheck()));
  }

  close(reply: FastifyReply, pollId: string): void {
    this.#options.cookies.clear(reply, 'manage', managePath(pollId));
  }

  /** Stores an outcome for the page after the redirect. Not in the address, because addresses are copied and kept. */
  async storeOutcome(reply: FastifyReply, pollId: string, outcome: ActionOutcome): Promise<void> {
    const { secret, cookies } = this.#options;
    const text = Buffer.from(JSON.stringify(outcome)).toString('base64url');
    const sealed = (await secret()).seal('outcome', text, pollId);
    const path = managePath(pollId);
    cookies.write(reply, 'outcome', sealed, { maxAgeSeconds: OUTCOME_SECONDS, path });
  }

  /** Reads the outcome once, so that a reload shows the page without it. */
  async takeOutcome(
    request: FastifyRequest,
    reply: FastifyReply,
    pollId: string,
  ): Promise<ActionOutcome | undefined> {
    const { secret, cookies } = this.#options;
    const path = managePath(pollId);
    const sealed = cookies.read(request, 'outcome', path);
    if (sealed === undefined) return undefined;
    cookies.clear(reply, 'outcome', path);
    const text = (await secret()).unseal('outcome', sealed, pollId);
    return text === undefined ? undefined : JSON.parse(Buffer.from(text, 'base64url').toString());
  }
}

export function managePath(pollId: string): string {
  return `/${pollId}/manage`;
}
