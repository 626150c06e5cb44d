import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress } from '../../http/address-group.ts';
import type { Poll } from '../../poll/poll.ts';
import type { VotingFront } from '../voting-front.ts';

const YEAR_SECONDS = 365 * 86_400;

/** The person behind a request, as far as this server knows. */
export interface Viewer {
  /** The id in the voter cookie: random, the same in every poll, known to this server only. */
  readonly voter: string;
  /** A keyed hash of the account's issuer and subject, where somebody is signed in. */
  readonly account: string | undefined;
}

/** Reads the voter cookie, or begins one: a first visit must be a voter's too by the time the form comes back. */
export async function greetViewer(
  front: VotingFront,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Viewer> {
  const known = await findViewer(front, request);
  if (known) return known;
  const secret = await front.secret();
  const voter = randomBytes(16).toString('base64url');
  front.cookies.write(reply, 'voter', secret.seal('voter', voter), { maxAgeSeconds: YEAR_SECONDS });
  return { voter, account: undefined };
}

/** Undefined where there is no voter cookie, or one that was not sealed here. */
export async function findViewer(front: VotingFront, request: FastifyRequest): Promise<Viewer | undefined> {
  const secret = await front.secret();
  const voter = secret.unseal('voter', front.cookies.read(request, 'voter'));
  if (voter === undefined) return undefined;
  const account = secret.unseal('account', front.cookies.read(request, 'account'), voter);
  return { voter, account: readAccount(account, front.clock()) };
}

const ACCOUNT_SECONDS = 12 * 3_600;

/** Signs an account in, for this voter cookie only. @param account a keyed hash, never the subject itself */
export async function rememberAccount(
  front: VotingFront,
  reply: FastifyReply,
  voter: string,
  account: string,
): Promise<void> {
  const secret = await front.secret();
  const text = `${account}:${front.clock() + ACCOUNT_SECONDS * 1000}`;
  front.cookies.write(reply, 'account', secret.seal('account', text, voter), {
    maxAgeSeconds: ACCOUNT_SECONDS,
  });
}

function readAccount(text: string | undefined, nowMs: number): string | undefined {
  const [account, untilMs] = text?.split(':') ?? [];
  return account !== undefined && Number(untilMs) > nowMs ? account : undefined;
}

/** What the engine is told of a voter: opaque, and different in every poll. */
export interface VoterKeys {
  readonly voter: string;
  readonly address: string;
}

export async function voterKeys(
  front: VotingFront,
  poll: Poll,
  viewer: Viewer,
  request: FastifyRequest,
): Promise<VoterKeys> {
  const secret = (await front.secret()).forPoll(poll.id);
  const { account } = viewer;
  const signedIn = poll.settings.only_reg && account !== undefined;
  return {
    voter: signedIn ? secret.hash('account', account) : secret.hash('voter', viewer.voter),
    address: secret.hash('address', callerAddress(request)),
  };
}
