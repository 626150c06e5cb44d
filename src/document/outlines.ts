import Fastify from 'fastify';
import type { ApiOptions } from '../api/api-options.ts';
import { cached, json, type Outline } from '../api/outline.ts';
import { restRoutes } from '../api/rest-routes.ts';

/** Its routes are added to a server that never listens: no handler runs, so nothing else of an engine is needed. */
const NO_ENGINE = { engine: { hints: { onAvailability: (_: unknown) => {} } } } as ApiOptions;

/** The outlines of a relay by method and path, such as `GET /api/poll/{id}`. */
export async function relayOutlines(): Promise<ReadonlyMap<string, Outline>> {
  const app = Fastify();
  const outlines = new Map<string, Outline>();
  app.addHook('onRoute', ({ method, url, config }) => {
    const outline = config?.outline;
    if (method === 'HEAD' || !outline || outline === 'asyncapi') return;
    const path = url.replace('*', outline.wildcard ?? '*').replace(/:(\w+)/g, '{$1}');
    const key = method === 'GET' ? undefined : 'required';
    outlines.set(`${method} ${path}`, { ...(key && { key }), ...outline });
  });
  await app.register(restRoutes, NO_ENGINE);
  await app.close();
  return new Map([...outlines, ...Object.entries(OTHERS)]);
}

/** Routes that are not of the REST API: probes, which both servers have, and the documents themselves. */
const OTHERS: Readonly<Record<string, Outline>> = {
  'GET /livez': liveness('isAlive', 'Liveness'),
  'GET /health': liveness('isHealthy', 'The same as /livez'),
  'GET /readyz': {
    id: 'isReady',
    summary: 'Readiness',
    description: 'Failing checks are listed in `issues` with status 503: `engine`, `hints`, `draining`.',
    replies: { 200: json('It is ready.', 'Ready', { headers: 'none' }) },
  },
  'GET /openapi.json': document('readOpenapi', 'The REST API as OpenAPI 3.1'),
  'GET /asyncapi.json': document('readAsyncapi', 'The live stream as AsyncAPI 3'),
};

function liveness(id: string, summary: string): Outline {
  return {
    id,
    summary,
    description: 'The process is running. Does not check the engine.',
    replies: { 200: json('It is running.', 'Alive', { headers: 'none' }) },
  };
}

function document(id: string, name: string): Outline {
  return {
    id,
    summary: name,
    description: `${name}. The same for every relay of one version.`,
    takes: ['If-None-Match'],
    replies: cached({ description: 'The document.', types: ['application/json'] }),
  };
}
