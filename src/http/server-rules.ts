import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { basePathOf, serveBelow } from './base-path.ts';
import { countRequests, limitFaultLog, logRequests } from './request-log.ts';
import { limitHandlerTime, limitHeaders, limitPipelining, sendRequestIds } from './server-limits.ts';

/** What both servers do with requests. Each plugin holds for all plugins that are registered after it. */

export interface ServerOptions {
  /** Its path is taken off requests. */
  readonly url: string;
}

export const serverRules = plugin(async (app: FastifyInstance, { url }: ServerOptions) => {
  limitFaultLog(app);
  sendRequestIds(app);
  serveBelow(app, basePathOf(url));
  limitPipelining(app);
  limitHeaders(app);
});

export interface RequestOptions {
  readonly server: 'relay' | 'voting';
  readonly countsRequests: boolean;
  /** Methods whose handlers have a time limit. */
  readonly timedMethods: readonly string[];
}

/** For requests that get a reply by HTTP. */
export const requestRules = plugin(
  async (app: FastifyInstance, { server, countsRequests, timedMethods }: RequestOptions) => {
    if (countsRequests) countRequests(app, server);
    logRequests(app);
    limitHandlerTime(app, timedMethods);
  },
);
