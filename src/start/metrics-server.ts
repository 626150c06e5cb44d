import Fastify, { type FastifyBaseLogger } from 'fastify';
import { replyWithError } from '../http/error-replies.ts';
import { serverOptions } from '../http/server-limits.ts';
import { CONTENT_TYPE } from '../metrics/exposition.ts';
import { PollError } from '../poll/poll-error.ts';
import type { Config } from './config.ts';
import { listen, type RunningServers } from './start-servers.ts';

/**
 * `METRICS_PORT`: one scrape tells of all processes that were started here. It never keeps a process alive.
 *
 * @param tell the OpenMetrics text
 */
export async function serveMetrics(
  config: Config,
  logger: FastifyBaseLogger,
  tell: () => Promise<string>,
): Promise<RunningServers> {
  const app = Fastify({ ...serverOptions({ logger }), frameworkErrors: replyWithError });
  app.server.on('connection', socket => socket.unref());
  app.setErrorHandler(replyWithError);
  app.setNotFoundHandler(() => {
    throw new PollError('route_not_found');
  });
  app.get('/metrics', async (_, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type(CONTENT_TYPE)
      .send(await tell()),
  );
  const text = `metrics on http://${config.METRICS_HOST}:${config.METRICS_PORT}/metrics`;
  await listen({ app, setting: 'METRICS_PORT', text }, config);
  app.server.unref();
  return { close: () => app.close() };
}
