import type { FastifyInstance } from 'fastify';
import { PollError } from '../poll/poll-error.ts';

/** Real clients are sloppy: JSON comes as text/plain, or with no content type at all. Anything else is no JSON. */
export function acceptSloppyJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(['application/json', 'text/plain'], { parseAs: 'string' }, parse);
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    if (request.headers['content-type'] === undefined) parse(request, body, done);
    else done(new PollError('unsupported_media_type'), undefined);
  });

  function parse(
    request: Parameters<typeof parseJson>[0],
    body: string | Buffer,
    done: (error: Error | null, value?: unknown) => void,
  ): void {
    const text = body.toString();
    if (text.trim() === '') done(new PollError('invalid_json'));
    else
      void parseJson(request, text, (error, value) =>
        done(error ? new PollError('invalid_json') : null, value),
      );
  }
}
