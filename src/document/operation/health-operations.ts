import { operation, type Paths } from './operation.ts';
import { ifNoneMatch } from './parameters.ts';
import { CACHE_CONTROL, ETAG, json, type Response } from './responses.ts';

const probe = (operationId: string, summary: string, description: string, reply: Response) =>
  operation({ operationId, tags: ['Health'], summary, description, replies: { 200: reply }, refusals: [] });

const live = 'This process turns. It says nothing about its engine.';
const documentOf = (operationId: string, summary: string, name: string) =>
  operation({
    operationId,
    tags: ['Health'],
    summary,
    description: `${name}, from the schemas that validate: the same bytes for as long as the version is the same.`,
    parameters: [ifNoneMatch],
    replies: {
      200: {
        description: 'The document.',
        headers: { ...ETAG, ...CACHE_CONTROL },
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      304: { description: 'It is what the caller holds.', headers: { ...ETAG, ...CACHE_CONTROL } },
    },
    refusals: [],
  });

export const healthPaths: Paths = {
  '/livez': { get: probe('isAlive', 'Whether it turns', live, json('It does.', 'Alive')) },
  '/health': { get: probe('isHealthy', 'The same as /livez', live, json('It does.', 'Alive')) },
  '/readyz': {
    get: probe(
      'isReady',
      'Whether it can do its work',
      'Whatever does not work is named in `issues`, with 503: `engine`, `hints`, `draining`.',
      json('It can.', 'Ready'),
    ),
  },
  '/openapi.json': { get: documentOf('readOpenapi', 'This document', 'OpenAPI 3.1') },
  '/asyncapi.json': { get: documentOf('readAsyncapi', 'The live stream', 'AsyncAPI 3') },
};
