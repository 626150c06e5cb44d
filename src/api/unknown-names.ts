import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { misspelledParameters } from '../http/query.ts';
import { unknownMembers } from '../poll/input-rules.ts';
import { PollError } from '../poll/poll-error.ts';

/**
 * Lists unknown names of a request in `ignored` of its reply, also of an error: members of the body
 * and parameters of the query, such as a cache buster. A parameter that is close to a known one is
 * an error instead, because it is a slip.
 */
export function listUnknown(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _, done) => {
    const issues = misspelledParameters(request.query as object, knownParameters(request));
    done(issues.length > 0 ? new PollError('invalid_request', { issues }) : undefined);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const body = outlineOf(request)?.body;
    const schema = body && 'schema' in body ? body.schema : undefined;
    const known = knownParameters(request);
    const ignored = [
      ...(schema ? unknownMembers(schema, request.body) : []),
      ...Object.keys(request.query as object).filter(name => !known.includes(name)),
    ];
    const isListed = ignored.length > 0 || (schema !== undefined && reply.statusCode < 400);
    done(null, isListed && isObject(reply, payload) ? withMember(payload, { ignored }) : payload);
  });
}

function outlineOf({ routeOptions }: FastifyRequest) {
  const { outline } = routeOptions.config;
  return outline === 'asyncapi' ? undefined : outline;
}

/** Every route accepts a key. */
function knownParameters(request: FastifyRequest): string[] {
  const { query, unlisted = [] } = outlineOf(request) ?? {};
  return ['key', ...Object.keys(query?.shape ?? {}), ...unlisted];
}

/** Whether a written body is an object in JSON. */
function isObject(reply: FastifyReply, payload: unknown): payload is string {
  const isJson = /^application\/json\b/.test(String(reply.getHeader('content-type')));
  return isJson && typeof payload === 'string' && payload.startsWith('{"');
}

/** @param object in JSON, with a member */
function withMember(object: string, member: object): string {
  return `${object.slice(0, -1)},${JSON.stringify(member).slice(1)}`;
}
