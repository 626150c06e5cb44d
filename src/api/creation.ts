import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import * as z from 'zod';
import { callerAddress, keyInHeader, keyOfRequest } from '../http/caller.ts';
import { ByteBudget, daysToMs, KEPT_REPLY_BYTES, takeOne } from '../http/rate-limit.ts';
import { findReply, replyOnce } from '../http/reply-once.ts';
import { PollError, parseOrThrow } from '../poll/poll-error.ts';
import type { Scope } from '../poll/poll-key.ts';
import type { ApiOptions } from './api-options.ts';
import { rejectExpired } from './request-rules.ts';

/** Limits for requests that write, and what creating a poll or a show requires of its caller. */

const SECRET_LENGTH = 16;
const MAX_LENGTH = 255;
const LENGTH = `must be 1 to ${MAX_LENGTH} characters long`;
const LENGTH_OF_SECRET = `must be ${SECRET_LENGTH} to ${MAX_LENGTH} characters long, and hard to guess: the same request gets the same new key again. With an operator’s API key, 1 character is enough`;
export const idempotencyKey = z.string(LENGTH).min(1, LENGTH).max(MAX_LENGTH, LENGTH).optional();
/** Where a repeated request gets a key that its caller has not had. */
const secretIdempotencyKey = z
  .string(LENGTH_OF_SECRET)
  .min(SECRET_LENGTH, LENGTH_OF_SECRET)
  .max(MAX_LENGTH, LENGTH_OF_SECRET)
  .optional();

/** @throws PollError `invalid_request` */
export function readIdempotencyKey({ headers }: FastifyRequest, schema = idempotencyKey): string | undefined {
  return parseOrThrow(schema, headers['idempotency-key'], 'Idempotency-Key');
}

/** Whether the outline of a route asks for a secret as `Idempotency-Key`. */
function takesSecret({ routeOptions: { config } }: FastifyRequest): boolean {
  return typeof config.outline === 'object' && (config.outline.takes?.includes('secret') ?? false);
}

const LIMITED = { create: 'new polls and shows', changes: 'changes of polls and shows' };

/**
 * Limits requests per minute by address. Requests with an operator key are counted by key instead
 * and have a higher limit, because an address may be shared. A bad `Idempotency-Key` is not counted.
 */
export function limitCallers(
  kind: 'create' | 'changes',
  { counts, isOperatorKey, createPerMinute, changesPerMinute, operatorPerMinute }: ApiOptions,
): onRequestHookHandler {
  const ofAddress = { name: kind, max: kind === 'create' ? createPerMinute : changesPerMinute };
  const ofOperator = { name: 'operator', max: operatorPerMinute };
  const scope = kind === 'create' ? 'create' : 'manage';
  const tooMany = (what: string) => (seconds: number) =>
    new PollError('rate_limited', {
      message: `Too many ${what}. Try again in ${seconds} s.`,
      retryAfterSeconds: seconds,
    });
  const tooManyOfAddress = tooMany(`${LIMITED[kind]} from this address`);
  const tooManyOfOperator = tooMany('requests with this key');

  return (request, reply, done) => {
    const key = keyOfRequest(request);
    const isOperator = key?.carrier === 'header' && isOperatorKey(key.hash, scope);
    readIdempotencyKey(request, !isOperator && takesSecret(request) ? secretIdempotencyKey : undefined);
    const rejection = isOperator
      ? takeOne(reply, counts, `operator ${key.hash}`, ofOperator, tooManyOfOperator)
      : takeOne(reply, counts, `${kind} ${callerAddress(request)}`, ofAddress, tooManyOfAddress);
    done(rejection);
  };
}

/** `draw` validates the body and decides what to create; `store` must be safe to repeat with the same. */
interface Steps<T> {
  readonly draw: () => Promise<T>;
  readonly store: (drawn: T) => Promise<void>;
}

/** What all operations that create something share. */
export class Creation {
  /** One limit for everything that an address creates. */
  readonly limit: onRequestHookHandler;
  readonly #options: ApiOptions;
  readonly #budget: ByteBudget;

  constructor(options: ApiOptions) {
    this.#options = options;
    this.limit = limitCallers('create', options);
    this.#budget = new ByteBudget(options.engine.records, options.createBytesPerDay, options.clock);
  }

  /** Whether the request has an operator key that creates. */
  isOperator(request: FastifyRequest): boolean {
    return this.#operatorKey(request, 'create') !== undefined;
  }

  /** Milliseconds for which a poll without a ballot is kept; undefined for operators. */
  emptyRetentionMs(request: FastifyRequest): number | undefined {
    return this.isOperator(request) ? undefined : daysToMs(this.#options.emptyPollDays);
  }

  /**
   * Takes bytes that are about to be stored from the daily budget of the address, unless the
   * request has an operator's key.
   *
   * @param keptBytes that the kept reply has beyond those of any other
   * @throws PollError `rate_limited`
   */
  async spend(request: FastifyRequest, bytes: number, keptBytes = 0): Promise<void> {
    if (this.#operatorKey(request, 'create', 'manage')) return;
    const kept = request.headers['idempotency-key'] === undefined ? 0 : KEPT_REPLY_BYTES + keptBytes;
    const seconds = bytes + kept > 0 && (await this.#budget.take(callerAddress(request), bytes + kept));
    if (seconds)
      throw new PollError('rate_limited', {
        message: `This address has stored too much today. Try again in ${seconds} s, or use an operator’s API key.`,
        retryAfterSeconds: seconds,
      });
  }

  /** A digest of the address, for what it may have at a time; undefined with an operator's key. */
  async digestOfCaller(request: FastifyRequest): Promise<string | undefined> {
    return this.#operatorKey(request, 'create', 'manage')
      ? undefined
      : this.#budget.digestOf(`caller ${callerAddress(request)}`);
  }

  /**
   * Creates what a request asks for, or finds what the same request created before.
   *
   * @throws PollError `api_key_required`, `api_key_rejected`, `invalid_request`, `idempotency_key_reused`
   */
  async once<T>(request: FastifyRequest, steps: Steps<T>): Promise<T> {
    return this.onceFor(this.authorize(request), request, steps);
  }

  /** @returns the caller, for `onceFor` @throws PollError `api_key_required`, `api_key_rejected` */
  authorize(request: FastifyRequest): string {
    const operator = this.#operatorKey(request, 'create');
    if (!operator && this.#options.createRequiresKey)
      throw new PollError(keyOfRequest(request) ? 'api_key_rejected' : 'api_key_required', {
        message: 'Creating needs an operator’s API key on this server.',
      });
    return operator ?? callerAddress(request);
  }

  /** The same for an authorized caller. @param caller to whom the Idempotency-Key belongs */
  async onceFor<T>(caller: string, request: FastifyRequest, steps: Steps<T>): Promise<T> {
    const { records } = this.#options.engine;
    const given = readIdempotencyKey(request);
    // A short one could be guessed from what is stored, which it encrypts.
    const key = given && given.length < SECRET_LENGTH ? `${given} ${keyInHeader(request)}` : given;
    const draw = async () => {
      const drawn = await steps.draw();
      rejectExpired(request);
      return drawn;
    };
    if (key === undefined) {
      const drawn = await draw();
      await steps.store(drawn);
      return drawn;
    }
    const repeatable = { key, caller, body: request.body };
    return (
      (await findReply(records, repeatable)) ??
      (await replyOnce(records, repeatable, await draw(), steps.store))
    );
  }

  /** @returns the digest of an operator's key with one of these scopes */
  #operatorKey(request: FastifyRequest, ...scopes: Scope[]): string | undefined {
    const key = keyOfRequest(request);
    if (key?.carrier !== 'header') return undefined;
    return scopes.some(scope => this.#options.isOperatorKey(key.hash, scope)) ? key.hash : undefined;
  }
}

/** What routes need that create or change something. */
export interface WritingOptions extends ApiOptions {
  readonly creation: Creation;
}
