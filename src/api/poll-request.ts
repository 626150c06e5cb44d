import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { keyOfRequest } from '../http/caller.ts';
import type { Reading } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { authorizeRead } from '../poll/poll-key.ts';
import { isReadablePollId } from '../poll/rehearsal.ts';
import { keysOf } from '../show/show.ts';
import type { ApiOptions } from './api-options.ts';

/** What requests about one poll have in common. */
export interface PollParams {
  readonly Params: { readonly id: string };
}

/** @param read one of the two of the options @throws PollError `poll_not_found` */
export async function requirePoll(read: ApiOptions['readPoll'], id: string): Promise<Reading> {
  const reading = isReadablePollId(id) ? await read(id) : undefined;
  if (!reading) throw new PollError('poll_not_found');
  return reading;
}

/** Whether the request has a key that reads the results. @throws PollError `api_key_rejected` */
export async function hasReadingKey(
  request: FastifyRequest,
  reading: Reading,
  { engine, isOperatorKey }: ApiOptions,
): Promise<boolean> {
  const key = keyOfRequest(request);
  const access = authorizeRead(key, key ? await keysOf(engine, reading) : reading.keys, isOperatorKey);
  if (access === 'rejected') throw new PollError('api_key_rejected');
  return access === 'granted';
}

/** A whole number in a query, as a document describes it. */
export function wholeNumber(minimum: number, maximum: number, fault: string, description: string) {
  return z
    .string(fault)
    .regex(/^[1-9]\d*$/, fault)
    .transform(Number)
    .pipe(z.int().min(minimum, fault).max(maximum, fault))
    .meta({ type: 'integer', minimum, maximum, description });
}
