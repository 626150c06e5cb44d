import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import type { EventStream } from '../../http/event-stream.ts';
import type { KeyRing } from '../../operator/key-ring.ts';
import type { Reading } from '../../poll/poll.ts';
import { judgeManaging, presentKey } from '../../poll/poll-key.ts';
import { keysOf } from '../../show/owner-keys.ts';
import type { ShowBoard } from '../../show/show-board.ts';
import type { CookieJar } from '../voter/cookie-jar.ts';
import type { ReadSecret } from '../voter/voting-secret.ts';

const SESSION_SECONDS = 7 * 86_400;

interface ManageSessionParts {
  readonly engine: Pick<Engine, 'records'>;
  readonly shows: ShowBoard;
  readonly secret: ReadSecret;
  readonly cookies: CookieJar;
  readonly operators: KeyRing;
  readonly clock: () => number;
}

/**
 * The creator's way in: the key comes once, from the URL's fragment, and a cookie for this poll alone stands for it. It is sealed
 * with the digest of the key, so it ends with the key.
 */
export class ManageSessions {
  readonly #parts: ManageSessionParts;

  constructor(parts: ManageSessionParts) {
    this.#parts = parts;
  }

  /** @returns false where the key does not manage this poll: a view key only reads */
  async open(reply: FastifyReply, reading: Reading, key: string): Promise<boolean> {
    const { engine, secret, cookies, operators, clock } = this.#parts;
    const { poll } = reading;
    const presented = presentKey(key, 'message');
    const keys = await keysOf(engine, reading);
    if (!presented || judgeManaging(presented, keys, operators.isOperatorKey) !== 'granted') return false;
    const text = String(clock() + SESSION_SECONDS * 1000);
    const sealed = (await secret()).seal('manage', text, poll.id, presented.hash);
    cookies.write(reply, 'manage', sealed, { maxAgeSeconds: SESSION_SECONDS, path: managePath(poll.id) });
    return true;
  }

  async isOpen(request: FastifyRequest, reading: Reading): Promise<boolean> {
    const { engine, secret: readSecret, cookies, operators, clock } = this.#parts;
    const { poll } = reading;
    const sealed = cookies.read(request, 'manage', managePath(poll.id));
    if (sealed === undefined) return false;
    const secret = await readSecret();
    const { adminKeyHash, showKeyHash } = await keysOf(engine, reading);
    return [adminKeyHash, ...(showKeyHash ? [showKeyHash] : []), ...operators.hashesFor('manage')].some(
      hash => {
        const untilMs = secret.unseal('manage', sealed, poll.id, hash);
        return untilMs !== undefined && Number(untilMs) > clock();
      },
    );
  }

  /** Ends a stream as soon as the key that opened its session opens nothing any more. */
  endWithKey(request: FastifyRequest, reading: Reading, stream: EventStream): void {
    const judge = async () => {
      if (!(await this.isOpen(request, reading).catch(() => false))) stream.close();
    };
    const { operators, shows } = this.#parts;
    stream.onClose(operators.onChange(() => void judge()));
    const { show } = reading.poll;
    if (show) stream.onClose(shows.followKey(show, () => void judge()));
  }

  close(reply: FastifyReply, pollId: string): void {
    this.#parts.cookies.clear(reply, 'manage', managePath(pollId));
  }
}

export function managePath(pollId: string): string {
  return `/${pollId}/manage`;
}
