import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isNotModified } from '../http/entity-tag.ts';
import { IMAGE_TYPES, type ImageKind } from '../poll/image-size.ts';
import { PollError } from '../poll/poll-error.ts';
import type { StoredImage } from '../poll/stored-image.ts';
import { BYTES_TYPE, cached } from './outline.ts';

/** A name always has the same content, but an image can be deleted. */
const CACHING_S = 300;

export const IMAGE_REPLIES = cached({
  description: 'The image.',
  types: [...Object.values(IMAGE_TYPES), BYTES_TYPE],
});

/**
 * Takes the bytes of an image as the body of all routes of a scope, whatever its `Content-Type`:
 * the bytes tell what it is. The routes set the limit.
 *
 * @param what for the error, as `A logo`
 */
export function acceptImages(app: FastifyInstance, maxBytes: number, what: string): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  app.setErrorHandler(error => {
    if ((error as { code?: unknown }).code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error;
    const message = `${what} has at most ${maxBytes / 1024} KB. Save the image smaller.`;
    throw new PollError('body_too_large', { message });
  });
}

/** Sends an image. Pages of every origin may draw it, and opened by itself it runs nothing. */
export function sendImage(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, bytes }: StoredImage,
): FastifyReply {
  const [hash, kind] = file.split('.') as [string, ImageKind];
  const etag = `"${hash}"`;
  reply.headers({
    etag,
    'content-type': IMAGE_TYPES[kind],
    'cache-control': `public, max-age=${CACHING_S}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  });
  return isNotModified(request, etag) ? reply.code(304).send() : reply.send(bytes);
}

export function imageIn({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
