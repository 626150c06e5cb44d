import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reading } from '../../poll/poll.ts';
import { type IsOperatorKey, judgeManaging, presentKey } from '../../poll/poll-key.ts';
import type { CookieJar } from '../voter/cookie-jar.ts';
import type { ReadSecret } from '../voter/voting-secret.ts';

const SESSION_SECONDS = 7 * 86_400;

interface ManageSessionParts {
  readonly secret: ReadSecret;
  readonly cookies: CookieJar;
  readonly isOperatorKey: IsOperatorKey;
  readonly clock: () => number;
}

/** The creator's way in: the key comes once, from the URL's fragment, and a cookie for this poll alone stands for it. */
export class ManageSessions {
  readonly #parts: ManageSessionParts;

  constructor(parts: ManageSessionParts) {
    this.#parts = parts;
  }

  /** @returns false where the key does not manage this poll: a view key only reads */
  async open(reply: FastifyReply, { poll, keys }: Reading, key: string): Promise<boolean> {
    const { secret, cookies, isOperatorKey, clock } = this.#parts;
    if (judgeManaging(presentKey(key, 'message'), keys, isOperatorKey) !== 'granted') return false;
    const text = String(clock() + SESSION_SECONDS * 1000);
    const sealed = (await secret()).seal('manage', text, poll.id, keys.adminKeyHash);
    cookies.write(reply, 'manage', sealed, { maxAgeSeconds: SESSION_SECONDS, path: managePath(poll.id) });
    return true;
  }

  async isOpen(request: FastifyRequest, { poll, keys }: Reading): Promise<boolean> {
    const { secret, cookies, clock } = this.#parts;
    const sealed = cookies.read(request, 'manage', managePath(poll.id));
    const untilMs = (await secret()).unseal('manage', sealed, poll.id, keys.adminKeyHash);
    return untilMs !== undefined && Number(untilMs) > clock();
  }

  close(reply: FastifyReply, pollId: string): void {
    this.#parts.cookies.clear(reply, 'manage', managePath(pollId));
  }
}

export function managePath(pollId: string): string {
  return `/${pollId}/manage`;
}
