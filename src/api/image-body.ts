import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PollError } from '../poll/poll-error.ts';

/**
 * Takes the bytes of an image as the body of all routes of a scope, whatever its `Content-Type`: the bytes tell what it is. The routes
 * set the limit.
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

export function imageIn({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
