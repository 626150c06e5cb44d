import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { PollError } from '../poll/poll-error.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

const DIGEST_LENGTH = 16;

/** Returns a digest of a body. */
export function etagOf(body: string): string {
  return `"${hash('sha256', body, 'base64url').slice(0, DIGEST_LENGTH)}"`;
}

/** Whether the client has the resource already, by `If-None-Match`: the reply is then 304. */
export function isNotModified({ headers }: Pick<FastifyRequest, 'headers'>, etag: string): boolean {
  const known = headers['if-none-match'];
  return known !== undefined && isKnown(etag, known);
}

/** Weak comparison (RFC 9110, section 13.1.2): a proxy may have made the tag strong, or weak. */
function isKnown(etag: string, known: string): boolean {
  const value = withoutWeakness(etag);
  return known.split(',').some(tag => ['*', value].includes(withoutWeakness(tag.trim())));
}

/**
 * Checks `If-Match` right before a write. Compared weakly too, because a proxy that compresses makes tags weak.
 *
 * @param etagsOf returns those of the resource as it is now; the first one is sent with the error
 * @throws PollError `precondition_failed`
 */
export function requireMatch(
  { headers }: Pick<FastifyRequest, 'headers'>,
  etagsOf: () => readonly [string, ...string[]],
): void {
  const wanted = headers['if-match'];
  if (wanted === undefined) return;
  const etags = etagsOf();
  if (!etags.some(etag => isKnown(etag, wanted)))
    throw new PollError('precondition_failed', { etag: etags[0] });
}

function withoutWeakness(tag: string): string {
  return tag.replace(/^W\//, '');
}
