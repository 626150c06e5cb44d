import type { FastifyReply, FastifyRequest } from 'fastify';
import { decrypt, encrypt } from '../../http/encrypted-text.ts';
import type { EventStream } from '../../http/event-stream.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import type { Reading } from '../../poll/poll.ts';
import { authorizeManage, type PresentedKey, presentKey } from '../../poll/poll-key.ts';
import { keysOf } from '../../show/show.ts';
import type { ActionOutcome } from './manage-actions.ts';

const SESSION_SECONDS = 30 * 86_400;
const BRIEF_SESSION_SECONDS = 86_400;
const OUTCOME_SECONDS = 60;
const PURPOSE = 'tallycast manage session';

/** What the cookie of a session carries. */
export interface ManageSession {
  readonly untilMs: number;
  /** SHA-256, hex. The session ends with the key that opened it. */
  readonly keyHash: string;
  /** Keys that the page prints again. Absent if another key opened the session, such as that of a show. */
  readonly adminKey?: string;
  readonly viewKey?: string | undefined;
  /** Ends with the browser: this device shall not remember the poll. */
  readonly isBrief?: boolean | undefined;
}

/**
 * Cookies of the manage page, each for one poll: the session, and the outcome of the last form. The
 * session is encrypted, because it carries keys.
 */
export class ManageSessions {
  readonly #options: PageDependencies;

  constructor(options: PageDependencies) {
    this.#options = options;
  }

  /** @returns false where the key may not manage this poll, like a view key */
  async open(
    reply: FastifyReply,
    reading: Reading,
    key: string,
    { viewKey, isBrief }: Pick<ManageSession, 'viewKey' | 'isBrief'> = {},
  ): Promise<boolean> {
    const { secret, cookies, clock } = this.#options;
    const { id } = reading.poll;
    const presented = presentKey(key, 'message');
    if (!presented || !(await this.#mayManage(presented, reading))) return false;
    const seconds = isBrief ? BRIEF_SESSION_SECONDS : SESSION_SECONDS;
    const isOwn = presented.hash === reading.keys.adminKeyHash;
    const session: ManageSession = {
      untilMs: clock() + seconds * 1000,
      keyHash: presented.hash,
      ...(isOwn && { adminKey: key }),
      viewKey,
      isBrief,
    };
    const text = encrypt(JSON.stringify(session), (await secret()).hash('session', id), PURPOSE);
    const path = managePath(id);
    cookies.write(reply, 'manage', text, { path, ...(!isBrief && { maxAgeSeconds: seconds }) });
    return true;
  }

  async find(request: FastifyRequest, reading: Reading): Promise<ManageSession | undefined> {
    const session = await this.read(request, reading.poll.id);
    if (!session || session.untilMs <= this.#options.clock()) return undefined;
    const mayManage = await this.#mayManage({ hash: session.keyHash, carrier: 'message' }, reading);
    return mayManage ? session : undefined;
  }

  /** Reads the cookie. The session in it may have ended. */
  async read(request: FastifyRequest, pollId: string): Promise<ManageSession | undefined> {
    const { secret, cookies } = this.#options;
    const text = cookies.read(request, 'manage', managePath(pollId));
    if (text === undefined) return undefined;
    const key = (await secret()).hash('session', pollId);
    try {
      return JSON.parse(decrypt(text, key, PURPOSE));
    } catch {
      // From an earlier version, or forged.
      return undefined;
    }
  }

  async #mayManage(key: PresentedKey, reading: Reading): Promise<boolean> {
    const { engine, operators } = this.#options;
    const keys = await keysOf(engine, reading);
    return authorizeManage(key, keys, operators.isOperatorKey) === 'granted';
  }

  /** Closes a stream when the key of its session is revoked. */
  endWithKey(request: FastifyRequest, reading: Reading, stream: EventStream): void {
    const { operators, shows } = this.#options;
    const recheck = async () => {
      if (!(await this.find(request, reading).catch(() => undefined))) stream.close();
    };
    stream.onClose(operators.onChange(() => void recheck()));
    const { show } = reading.poll;
    if (show) stream.onClose(shows.followKeys(show, () => void recheck()));
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
