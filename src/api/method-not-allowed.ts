import type { FastifyInstance, HTTPMethods } from 'fastify';
import { PollError } from '../poll/poll-error.ts';

const REFUSED: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY'];

/**
 * Notes the routes that are added from now on. The function that it returns, called when all are there, answers 405 with
 * `Allow` wherever another method would have been right.
 */
export function refuseOtherMethods(app: FastifyInstance): () => void {
  const methodsOfUrl = new Map<string, Set<string>>();
  let isNoting = true;
  app.addHook('onRoute', ({ url, method }) => {
    if (!isNoting || url.includes('*')) return;
    const methods = methodsOfUrl.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsOfUrl.set(url, methods);
  });

  return () => {
    isNoting = false;
    for (const [url, methods] of methodsOfUrl) {
      const allow = [...methods].join(', ');
      const method = REFUSED.filter(name => !methods.has(name));
      const handler = async (_: unknown, reply: { header(name: string, value: string): unknown }) => {
        reply.header('allow', allow);
        throw new PollError('method_not_allowed');
      };
      // Before the body is read: a body that nobody wants must not decide the answer.
      if (method.length > 0) app.route({ method, url, onRequest: handler, handler });
    }
  };
}
