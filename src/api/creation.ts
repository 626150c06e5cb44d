import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import * as z from 'zod';
import { callerAddress, keyOfRequest } from '../http/caller.ts';
import { ByteBudget, daysToMs, KEPT_REPLY_BYTES } from '../http/rate-limit.ts';
import { findReply, replyOnce } from '../http/reply-once.ts';
import { invalidRequest } from '../poll/invalid-request.ts';
import { PollError } from '../poll/poll-error.ts';
import { limitCallers } from './allowance.ts';
import type { ApiOptions } from './api-options.ts';
import { refuseLate } from './request-expiry.ts';

/** What creating a poll or a show asks of its caller. */
export interface Creation {
  /** One allowance for everything that an address creates. */
  readonly limit: onRequestHookHandler;

  /**
   * Takes what is about to be stored from the day's budget of the address, with the reply that is kept under an Idempotency-Key.
   * An operator's key has no such budget.
   *
   * @throws PollError `rate_limited`
   */
  spend(request: FastifyRequest, bytes: number): Promise<void>;

  /** Milliseconds for which a poll without a ballot is kept; undefined where an operator's key makes it. */
  emptyRetentionMs(request: FastifyRequest): number | undefined;

  /** Whether an operator's key creates. */
  isOperator(request: FastifyRequest): boolean;

  /**
   * Creates what a request asks for, or finds what the same request has created before.
   *
   * @param draw judges the body, and says what is to be created
   * @param store safe to do again with the same
   * @throws PollError `api_key_required`, `api_key_rejected`, `invalid_request`, `idempotency_key_reused`
   */
  once<T>(request: FastifyRequest, draw: () => Promise<T>, store: (drawn: T) => Promise<void>): Promise<T>;

  /** The same for a caller who has been let in already. @param caller whose Idempotency-Keys are nobody else's */
  onceFor<T>(
    caller: string,
    request: FastifyRequest,
    draw: () => Promise<T>,
    store: (drawn: T) => Promise<void>,
  ): Promise<T>;
}

const NAME_OF_KEY = 'idempotency-key';
const LENGTH = 'must be 16 to 255 characters long';
export const idempotencyKey = z.string(LENGTH).min(16, LENGTH).max(255, LENGTH).optional();

export function creation(options: ApiOptions): Creation {
  const { records } = options.engine;
  const budget = new ByteBudget(records, options.createBytesPerDay, options.clock);
  const isOperator = (request: FastifyRequest) => operatorKeyOf(request, options) !== undefined;
  const onceFor: Creation['onceFor'] = async (caller, request, drawAny, store) => {
    const key = readIdempotencyKey(request);
    const draw: typeof drawAny = async () => {
      const drawn = await drawAny();
      refuseLate(request);
      return drawn;
    };
    if (key === undefined) {
      const drawn = await draw();
      await store(drawn);
      return drawn;
    }
    const repeatable = { key, caller, body: request.body };
    return (
      (await findReply(records, repeatable)) ?? (await replyOnce(records, repeatable, await draw(), store))
    );
  };

  return {
    limit: limitCallers('create', options),
    isOperator,
    emptyRetentionMs: request => (isOperator(request) ? undefined : daysToMs(options.emptyPollDays)),
    async spend(request, bytes) {
      if (isOperator(request)) return;
      const kept = request.headers[NAME_OF_KEY] === undefined ? 0 : KEPT_REPLY_BYTES;
      const seconds = bytes + kept > 0 && (await budget.take(callerAddress(request), bytes + kept));
      if (seconds)
        throw new PollError('rate_limited', {
          message: `This address has stored too much today. Try again in ${seconds} s, or use an operator’s API key.`,
          retryAfterSeconds: seconds,
        });
    },
    onceFor,
    once: async (request, draw, store) => onceFor(admit(request, options), request, draw, store),
  };
}

/** @throws PollError `invalid_request` */
export function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const { data, error } = idempotencyKey.safeParse(headers[NAME_OF_KEY]);
  if (error) throw invalidRequest(error, 'Idempotency-Key');
  return data;
}

/** @returns the caller: an operator's key, else an address */
function admit(request: FastifyRequest, options: ApiOptions): string {
  const operator = operatorKeyOf(request, options);
  if (operator) return operator;
  if (options.createRequiresKey)
    throw new PollError(keyOfRequest(request) ? 'api_key_rejected' : 'api_key_required', {
      message: 'Creating here needs an operator’s API key.',
    });
  return callerAddress(request);
}

/** @returns the digest of a key that creates */
function operatorKeyOf(request: FastifyRequest, { isOperatorKey }: ApiOptions): string | undefined {
  const key = keyOfRequest(request);
  return key?.carrier === 'header' && isOperatorKey(key.hash, 'create') ? key.hash : undefined;
}
