import { OPEN_OR_KEYED, operation, type Paths } from './operation.ts';
import { ifNoneMatch, lastEventId, pollId, showName, streamQuery } from './parameters.ts';
import { CACHE_CONTROL, ETAG, json, type Response } from './responses.ts';

const UPGRADED: Response = {
  description:
    'A WebSocket, where the request asks for the upgrade: see `/asyncapi.json` for its messages. What is refused is told in a message and by the code of closing.',
};

const STREAM: Record<number, Response> = {
  101: UPGRADED,
  200: {
    description: 'A stream that ends with the connection.',
    headers: CACHE_CONTROL,
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  },
};

const watch = operation({
  operationId: 'watchPoll',
  tags: ['Live'],
  summary: 'Watch a poll',
  description:
    'A WebSocket where the request asks for an upgrade, Server-Sent Events otherwise, with the same messages. Nothing has to be said: connect and draw.',
  ...OPEN_OR_KEYED,
  parameters: [pollId, ...streamQuery, lastEventId],
  replies: STREAM,
  refusals: ['api_key_rejected', 'poll_not_found', 'route_not_found', 'rate_limited'],
});

const watchShow = operation({
  operationId: 'watchShow',
  tags: ['Live'],
  summary: 'Watch a show',
  description:
    'What is on air, and the results of it, on one connection that never has to be touched. The show’s `show_key` travels in a header, and tells of the whole run-down.',
  ...OPEN_OR_KEYED,
  parameters: [showName, ...streamQuery.filter(({ name }) => name !== 'since')],
  replies: STREAM,
  refusals: ['api_key_rejected', 'show_not_found', 'route_not_found', 'rate_limited'],
});

const watchMany = operation({
  operationId: 'watchPolls',
  tags: ['Live'],
  summary: 'Watch many polls and shows',
  description: 'A WebSocket: up to 100 polls are subscribed to on it.',
  ...OPEN_OR_KEYED,
  parameters: streamQuery.filter(({ name }) => name !== 'since'),
  replies: { 101: UPGRADED },
  refusals: [],
});

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

export const otherPaths: Paths = {
  '/api/poll/{id}/live': { get: watch },
  '/api/show/{name}/live': { get: watchShow },
  '/api/live': { get: watchMany },
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
