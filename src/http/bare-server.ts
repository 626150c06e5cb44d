import Fastify, { type FastifyInstance } from 'fastify';
import { PollError } from '../poll/poll-error.ts';
import { replyWithError } from './error-replies.ts';
import { serverOptions } from './server-limits.ts';

/** Builds a server without pages, for probes and metrics: every error is JSON. */
export function bareServer(environment: Parameters<typeof serverOptions>[0]): FastifyInstance {
  const app = Fastify({ ...serverOptions(environment), frameworkErrors: replyWithError });
  app.setErrorHandler(replyWithError);
  app.setNotFoundHandler(() => {
    throw new PollError('route_not_found');
  });
  return app;
}
