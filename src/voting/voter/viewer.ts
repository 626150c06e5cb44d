import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress } from '../../http/caller.ts';
import type { Poll } from '../../poll/poll.ts';
import type { CookieJar } from './cookie-jar.ts';
import { drawBytes } from './random-bytes.ts';
import type { ReadSecret } from './voting-secret.ts';

/** How long a browser keeps the voter cookie. */
export const VOTER_SECONDS = 365 * 86_400;
const ACCOUNT_SECONDS = 12 * 3_600;

/** The person behind a request, as far as this server knows. */
export interface Viewer {
  /** The id in the voter cookie: random, the same in every poll, known to this server only. */
  readonly voter: string;
  /** A keyed hash of the account's issuer and subject, where somebody is signed in. */
  readonly account: string | undefined;
}

/** What the engine is told of a voter: opaque, and different in every poll. */
export interface VoterKeys {
  readonly voter: string;
  readonly address: string;
}

/** Where a request keeps whose it is: a ballot is asked for it twice, by its limit and by its handler. */
const FOUND = Symbol('viewer');
type Asked = FastifyRequest & { [FOUND]?: Promise<Viewer | undefined> };

/** Knows visitors again by their cookies. */
export class Viewers {
  readonly #secret: ReadSecret;
  readonly #cookies: CookieJar;
  readonly #clock: () => number;

  constructor(secret: ReadSecret, cookies: CookieJar, clock: () => number) {
    this.#secret = secret;
    this.#cookies = cookies;
    this.#clock = clock;
  }

  /** Reads the voter cookie, or begins one: a first visit must be a voter's too by the time the form comes back. */
  async greet(request: FastifyRequest, reply: FastifyReply): Promise<Viewer> {
    const known = await this.find(request);
    if (known) return known;
    const voter = newVoter();
    const sealed = (await this.#secret()).seal('voter', voter);
    this.#cookies.write(reply, 'voter', sealed, { maxAgeSeconds: VOTER_SECONDS });
    return { voter, account: undefined };
  }

  /** Undefined where there is no voter cookie, or one that was not sealed here. */
  find(request: Asked): Promise<Viewer | undefined> {
    request[FOUND] ??= this.#find(request);
    return request[FOUND];
  }

  async #find(request: FastifyRequest): Promise<Viewer | undefined> {
    const cookie = this.#cookies.read(request, 'voter');
    // Pages that need no engine are served without it: the secret is there.
    if (cookie === undefined) return undefined;
    const secret = await this.#secret();
    const voter = secret.unseal('voter', cookie);
    if (voter === undefined) return undefined;
    const account = secret.unseal('account', this.#cookies.read(request, 'account'), voter);
    return { voter, account: readAccount(account, this.#clock()) };
  }

  /** Signs an account in, for this voter cookie only. @param account a keyed hash, never the subject itself */
  async signIn(reply: FastifyReply, voter: string, account: string): Promise<void> {
    const text = `${account}:${this.#clock() + ACCOUNT_SECONDS * 1000}`;
    const sealed = (await this.#secret()).seal('account', text, voter);
    this.#cookies.write(reply, 'account', sealed, { maxAgeSeconds: ACCOUNT_SECONDS });
  }

  signOut(reply: FastifyReply): void {
    this.#cookies.clear(reply, 'account');
  }

  /** The voter as the engine knows them in this poll. */
  async keyFor(poll: Poll, { voter, account }: Viewer): Promise<string> {
    const secret = (await this.#secret()).forPoll(poll.id);
    const signedIn = poll.settings.requireSignIn && account !== undefined;
    return signedIn ? secret.hash('account', account) : secret.hash('voter', voter);
  }

  async keysFor(poll: Poll, viewer: Viewer, request: FastifyRequest): Promise<VoterKeys> {
    const secret = (await this.#secret()).forPoll(poll.id);
    return {
      voter: await this.keyFor(poll, viewer),
      address: secret.hash('address', callerAddress(request)),
    };
  }
}

/** Returns an id for a new voter cookie. */
export function newVoter(): string {
  return drawBytes(16).toString('base64url');
}

function readAccount(text: string | undefined, nowMs: number): string | undefined {
  const [account, untilMs] = text?.split(':') ?? [];
  return account !== undefined && Number(untilMs) > nowMs ? account : undefined;
}
