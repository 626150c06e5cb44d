import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { invalidRequest } from '../poll/invalid-request.ts';
import { PollError } from '../poll/poll-error.ts';

/**
 * Until when a request is wanted. Whoever waits for an answer gives up some time, and a relay that stood still has the request all
 * the same: carried out then, it would be a surprise on air.
 */

const NAME_OF_MOMENT = 'request-expires';
const FORM = 'must be a UNIX time in seconds, such as 1767225600.25';
export const requestExpires = z
  .string(FORM)
  .regex(/^\d{1,12}(\.\d{1,9})?$/, FORM)
  .optional();

const WRITES = new Set(['POST', 'PATCH', 'DELETE']);

/**
 * Refuses late writes before their body is read, and after a method that the address does not take. The handler checks again,
 * directly before the engine is asked.
 */
export function refuseLateArrivals(app: FastifyInstance): void {
  app.addHook('preParsing', async request => {
    if (WRITES.has(request.method)) refuseLate(request);
  });
}

/** @throws PollError `invalid_request`, `request_expired` */
export function refuseLate({ headers }: Pick<FastifyRequest, 'headers'>): void {
  const { data, error } = requestExpires.safeParse(headers[NAME_OF_MOMENT]);
  if (error) throw invalidRequest(error, 'Request-Expires');
  if (data !== undefined && Date.now() > Number(data) * 1_000) throw new PollError('request_expired');
}
