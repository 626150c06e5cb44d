import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import * as z from 'zod';
import { callerAddress } from '../http/address-group.ts';
import { keyOfRequest } from '../http/presented-key.ts';
import { findReply, replyOnce } from '../http/reply-once.ts';
import { invalidRequest } from '../poll/invalid-request.ts';
import { PollError } from '../poll/poll-error.ts';
import { limitCallers } from './allowance.ts';
import type { ApiOptions } from './api-options.ts';
import { refuseLate } from './request-expiry.ts';

/** What creating asks of whoever does it, be it a poll or a show. */
export interface Creation {
  /** One allowance for everything that an address creates. */
  readonly limit: onRequestHookHandler;

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

/** @returns who calls: an operator's key, else an address */
function admit(request: FastifyRequest, { isOperatorKey, createRequiresKey }: ApiOptions): string {
  const key = keyOfRequest(request);
  if (key && key.carrier === 'header' && isOperatorKey(key.hash, 'create')) return key.hash;
  if (createRequiresKey)
    throw new PollError(key ? 'api_key_rejected' : 'api_key_required', {
      message: 'Creating here needs an operator’s API key.',
    });
  return callerAddress(request);
}
