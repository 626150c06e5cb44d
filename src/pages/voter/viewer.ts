import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress, callerIp, networkOf } from '../../http/caller.ts';
import type { Poll } from '../../poll/poll.ts';
import type { CookieJar } from './cookie-jar.ts';
import type { ReadSecret } from './voting-secret.ts';

export const VOTER_SECONDS = 365 * 86_400;
const ACCOUNT_SECONDS = 12 * 3_600;
/** 96 bits. */
const TAG_CHARACTERS = 16;

export interface Viewer {
  /** The random id in the voter cookie: the same in every poll, and known to this server only. */
  readonly voter: string;
  /** A keyed hash of the account's issuer and subject; undefined for a viewer that is not signed in. */
  readonly account: string | undefined;
}

/** How the engine identifies a voter: opaque, and different in every poll. */
interface VoterKeys {
  readonly voter: string;
  readonly address: string;
  /** Tag of the IPv4 /24 or IPv6 /48, by the poll's own key; undefined for polls without one. */
  readonly network: string | undefined;
}

/** Caches the viewer on its request: a ballot looks it up twice, for its limit and in its handler. */
const VIEWER = Symbol('viewer');
type ViewerRequest = FastifyRequest & { [VIEWER]?: Promise<Viewer | undefined> };

export class Viewers {
  readonly #secret: ReadSecret;
  readonly #cookies: CookieJar;
  readonly #clock: () => number;

  constructor(secret: ReadSecret, cookies: CookieJar, clock: () => number) {
    this.#secret = secret;
    this.#cookies = cookies;
    this.#clock = clock;
  }

  /** Reads the voter cookie, or sets a new one: the form of a first visit must come from a known voter, too. */
  async findOrCreate(request: FastifyRequest, reply: FastifyReply): Promise<Viewer> {
    const known = await this.find(request);
    if (known) return known;
    const voter = newVoter();
    const sealed = (await this.#secret()).seal('voter', voter);
    this.#cookies.write(reply, 'voter', sealed, { maxAgeSeconds: VOTER_SECONDS });
    return { voter, account: undefined };
  }

  find(request: ViewerRequest): Promise<Viewer | undefined> {
    request[VIEWER] ??= this.#find(request);
    return request[VIEWER];
  }

  async #find(request: FastifyRequest): Promise<Viewer | undefined> {
    const cookie = this.#cookies.read(request, 'voter');
    // The secret is in the engine, which some pages do without.
    if (cookie === undefined) return undefined;
    const secret = await this.#secret();
    const voter = secret.unseal('voter', cookie);
    if (voter === undefined) return undefined;
    const account = secret.unseal('account', this.#cookies.read(request, 'account'), voter);
    return { voter, account: readAccount(account, this.#clock()) };
  }

  /** Signs an account in for this voter cookie only. @param account a keyed hash, never the subject itself */
  async signIn(reply: FastifyReply, voter: string, account: string): Promise<void> {
    const text = `${account}:${this.#clock() + ACCOUNT_SECONDS * 1000}`;
    const sealed = (await this.#secret()).seal('account', text, voter);
    this.#cookies.write(reply, 'account', sealed, { maxAgeSeconds: ACCOUNT_SECONDS });
  }

  signOut(reply: FastifyReply): void {
    this.#cookies.clear(reply, 'account');
  }

  /** Returns the id that the engine stores for this voter in this poll. */
  async keyFor(poll: Poll, { voter, account }: Viewer): Promise<string> {
    const secret = (await this.#secret()).forPoll(poll.id);
    const signedIn = poll.settings.requireSignIn && account !== undefined;
    return signedIn ? secret.hash('account', account) : secret.hash('voter', voter);
  }

  async keysFor(poll: Poll, viewer: Viewer, request: FastifyRequest): Promise<VoterKeys> {
    const secret = (await this.#secret()).forPoll(poll.id);
    const address = secret.hash('address', callerAddress(request));
    return { voter: await this.keyFor(poll, viewer), address, network: tagOfNetwork(poll, request) };
  }
}

function tagOfNetwork({ networkKey }: Poll, request: FastifyRequest): string | undefined {
  if (networkKey === undefined) return undefined;
  const hmac = createHmac('sha256', Buffer.from(networkKey, 'base64url'));
  return hmac
    .update(networkOf(callerIp(request)))
    .digest('base64url')
    .slice(0, TAG_CHARACTERS);
}

export function newVoter(): string {
  return randomBytes(16).toString('base64url');
}

function readAccount(text: string | undefined, nowMs: number): string | undefined {
  const [account, untilMs] = text?.split(':') ?? [];
  return account !== undefined && Number(untilMs) > nowMs ? account : undefined;
}
