import type { FastifyRequest } from 'fastify';
import { PollError } from '../poll/poll-error.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Weak comparison (RFC 9110, section 13.1.2): a proxy may have made the tag strong, or weak. */
export function isKnown(etag: string, known: string): boolean {
  const value = withoutWeakness(etag);
  return known.split(',').some(tag => ['*', value].includes(withoutWeakness(tag.trim())));
}

/**
 * Checks `If-Match` right before a write. Compared weakly too, because a proxy that compresses makes tags weak.
 *
 * @param etags of the resource as it is now; the first one is sent with the error
 * @throws PollError `precondition_failed`
 */
export function requireMatch({ headers }: Pick<FastifyRequest, 'headers'>, ...etags: string[]): void {
  const wanted = headers['if-match'];
  if (wanted === undefined || etags.some(etag => isKnown(etag, wanted))) return;
  throw new PollError('precondition_failed', { etag: etags[0]! });
}

function withoutWeakness(tag: string): string {
  return tag.replace(/^W\//, '');
}
