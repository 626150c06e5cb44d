import type { FastifyInstance } from 'fastify';
import { httpRequests, httpSeconds } from '../metrics/catalogue.ts';

/** Streams take as long as somebody watches. */
const STREAM = /\/live$/;
/** Of an address that has no route: the address itself is nobody's business, and there are endlessly many. */
const NO_ROUTE = 'none';

/** Counts what is answered by route, as patterns and never as addresses. To be called before routes are added. */
export function countRequests(app: FastifyInstance, server: 'relay' | 'voting'): void {
  app.addHook('onResponse', ({ method, is404, routeOptions }, reply, done) => {
    const route = (is404 ? undefined : routeOptions.url) ?? NO_ROUTE;
    httpRequests.of({ server, method, route, status: `${reply.statusCode}` }).value += 1;
    if (!STREAM.test(route)) httpSeconds.of({ server, route }).observe(reply.elapsedTime);
    done();
  });
}
