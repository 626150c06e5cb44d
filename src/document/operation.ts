import type * as z from 'zod';
import { idempotencyKey } from '../api/creation.ts';
import type { Links, Outline, PathParameter, ReplyOutline, SharedParameter } from '../api/outline.ts';
import EXAMPLES from '../api/reply-examples.json' with { type: 'json' };
import { requestExpires } from '../api/request-rules.ts';
import { POLL_ID, SHOW_NAME } from '../poll/poll.ts';
import { type ErrorCode, PollError } from '../poll/poll-error.ts';
import { READABLE_POLL_ID } from '../poll/rehearsal.ts';
import { type JsonSchema, membersOfInput, reference, schemaOfInput } from './json-schema.ts';

/**
 * Operations of OpenAPI 3.1. What follows from the method and the path is added here. Members
 * without a value are undefined: JSON leaves them out.
 */

interface Response extends JsonSchema {
  readonly headers?: JsonSchema;
}

const JSON_TYPE = 'application/json';
const ANY_KEY = [{ apiKey: [] }, { bearer: [] }, { olderApiKey: [] }];
const BODY_TYPES =
  'JSON in UTF-8, uncompressed. `text/plain` and a missing `Content-Type` are read as JSON; other types, charsets and encodings get 415.';

const header = (description: string, schema: JsonSchema = { type: 'string' }) => ({ description, schema });
const seconds = { type: 'integer', minimum: 0 };
const CACHE_CONTROL = { 'Cache-Control': header('Whether and how long caches may keep this reply.') };
const HEADERS: Readonly<Record<NonNullable<ReplyOutline['headers']>, JsonSchema>> = {
  none: {},
  plain: CACHE_CONTROL,
  cached: {
    ETag: header('Send it as `If-None-Match`. For results it is their `position`.'),
    ...CACHE_CONTROL,
  },
  matched: {
    ETag: header('Send it as `If-Match` with a write, which then changes nothing else than this.'),
    ...CACHE_CONTROL,
  },
  created: { Location: header('The URL of what was created.'), ...CACHE_CONTROL },
};
const LIMITS = {
  'RateLimit-Policy': header('The limit: requests (`q`) in a number of seconds (`w`).'),
  RateLimit: header('Requests left (`r`), and seconds until the limit resets (`t`).'),
  'RateLimit-Limit': header('The limit in requests per minute.', seconds),
  'RateLimit-Remaining': header('Requests left.', seconds),
  'RateLimit-Reset': header('Seconds until the limit resets.', seconds),
};
const REQUEST_ID = {
  'X-Request-Id': header(
    'Identifies the request in the log of the relay: the one of the request, or a new one.',
  ),
};
const RETRY_AFTER = { 'Retry-After': header('Seconds to wait before a retry.', seconds) };
const ERROR_HEADERS: Readonly<Record<string, Response['headers']>> = {
  401: { 'WWW-Authenticate': header('The kind of key that is required.') },
  405: { Allow: header('The supported methods.') },
  412: { ETag: header('Of the poll’s definition, or of the show, as it is now.') },
  429: { ...LIMITS, ...RETRY_AFTER },
  503: RETRY_AFTER,
};

const inHeader = (name: string, description: string, schema: JsonSchema): JsonSchema => ({
  name,
  in: 'header',
  description,
  schema,
});
const inPath = ({ name, description, pattern }: PathParameter): JsonSchema => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', pattern },
});

const readablePollId = inPath({
  name: 'id',
  description: 'The poll. `rehearsal` is a simulated one.',
  pattern: READABLE_POLL_ID,
});
const loggedRoundId = inPath({
  name: 'id',
  description: 'The poll, for its first round. For a later one with its number, as in `<id>~2`.',
  pattern: POLL_ID.source.replace('$', '(~([1-9]\\d?|100))?$'),
});
const storedPollId = inPath({ name: 'id', description: 'The poll.', pattern: POLL_ID.source });
const showName = inPath({ name: 'name', description: 'The show.', pattern: SHOW_NAME.source });
const expires = inHeader(
  'Request-Expires',
  'UNIX time in seconds, by the clock of the relay, until which the request is wanted. Afterwards it is rejected and changes nothing.',
  schemaOfInput(requestExpires),
);
const repeatable = inHeader(
  'Idempotency-Key',
  'Makes a retry safe: for 24 hours the same key and body get the first reply, and nothing is created again.',
  schemaOfInput(idempotencyKey),
);
const secret = inHeader(
  'Idempotency-Key',
  `${repeatable['description']} Hard to guess, because the reply has a new key. With an operator’s API key, 1 character is enough.`,
  schemaOfInput(idempotencyKey),
);
const SHARED: Readonly<Record<SharedParameter, JsonSchema>> = {
  key: {
    name: 'key',
    in: 'query',
    description: 'A `view_key`, for clients that cannot set headers. Other keys work in headers only.',
    schema: { type: 'string' },
  },
  'If-None-Match': inHeader('If-None-Match', 'An `ETag`. If nothing has changed, the reply is 304.', {
    type: 'string',
  }),
  'Idempotency-Key': repeatable,
  secret,
  press: {
    ...repeatable,
    description:
      'Makes a retry safe: the same key changes nothing again, and the reply is the current show. A show remembers the newest 50.',
  },
};

/** Queries are text, but documents state the type of the value. */
function inQuery(schema: z.ZodObject): JsonSchema[] {
  return Object.entries(membersOfInput(schema)).map(([name, { description, pattern, ...member }]) => ({
    name,
    in: 'query',
    ...(typeof description === 'string' && { description }),
    schema: member['type'] === 'string' && pattern ? { ...member, pattern } : withTypedDefault(member),
  }));
}

function withTypedDefault(member: JsonSchema): JsonSchema {
  const isNumber = member['type'] === 'integer' && member['default'] !== undefined;
  return isNumber ? { ...member, default: Number(member['default']) } : member;
}

function responseOf({ description, json, types, headers = 'plain', links }: ReplyOutline): Response {
  const content = json ? jsonContent(json) : types && contentOf(types);
  const all = { ...REQUEST_ID, ...HEADERS[headers] };
  return { description, headers: all, content, links: links && linksOf(links) };
}

function jsonContent(names: NonNullable<ReplyOutline['json']>): JsonSchema {
  const schemas = names.map(reference);
  const example = (EXAMPLES as Readonly<Record<string, unknown>>)[names[0] ?? ''];
  return { [JSON_TYPE]: { schema: schemas.length > 1 ? { anyOf: schemas } : { ...schemas[0] }, example } };
}

function contentOf(types: readonly string[]): JsonSchema {
  return Object.fromEntries(types.map(type => [type, { schema: schemaOfType(type) }]));
}

function schemaOfType(type: string): JsonSchema {
  if (type === JSON_TYPE) return { type: 'object' };
  return type.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' };
}

function linksOf({ parameter, key, operations }: Links): JsonSchema {
  return Object.fromEntries(
    Object.entries(operations).map(([name, operationId]) => [
      name,
      {
        operationId,
        parameters: { [parameter]: `$response.body#/${parameter}` },
        description: name === 'read' ? undefined : `Needs the \`${key}\`.`,
      },
    ]),
  );
}

/** @param route method and path, such as `GET /api/poll/{id}` */
export function operation(route: string, { id, summary, description, ...outline }: Outline): object {
  const { key, path: inPathOnly = [], query, takes = [], body, replies, errors = [] } = outline;
  const [method, path = ''] = route.split(' ');
  const writes = method !== 'GET';
  const isPoll = path.includes('{id}');
  const ofPath = isPoll
    ? [writes ? storedPollId : path.includes('{id}/log') ? loggedRoundId : readablePollId]
    : path.includes('{name}')
      ? [showName]
      : [];
  const hasSubject = ofPath.length > 0;
  const codes: ErrorCode[] = [
    'invalid_request',
    'url_too_long',
    'headers_too_large',
    'internal_error',
    'engine_unavailable',
    ...when(writes, 'origin_rejected', 'request_expired', 'rate_limited', 'body_too_large'),
    ...when(writes && isPoll, 'method_not_allowed'),
    ...when(writes && hasSubject, 'precondition_failed'),
    ...when(body, 'unsupported_media_type'),
    ...when(body && 'schema' in body, 'invalid_json'),
    ...when(key, 'api_key_required', 'api_key_rejected'),
    ...when(hasSubject, isPoll ? 'poll_not_found' : 'show_not_found', 'route_not_found'),
    ...when(takes.includes('Idempotency-Key') || takes.includes('secret'), 'idempotency_key_reused'),
    ...errors,
  ];
  const limited = (reply: Response): Response =>
    writes ? { ...reply, headers: { ...reply.headers, ...LIMITS } } : reply;
  return {
    operationId: id,
    tags: [tagOf(path)],
    summary,
    description,
    security: key && (key === 'optional' ? [{}, ...ANY_KEY] : ANY_KEY),
    parameters: [
      ...ofPath,
      ...inPathOnly.map(inPath),
      ...(query ? inQuery(query) : []),
      ...takes.map(name => SHARED[name]),
      ...(writes ? [expires] : []),
    ],
    requestBody: body && bodyOf(body),
    responses: {
      ...Object.fromEntries(
        Object.entries(replies).map(([status, reply]) => [status, limited(responseOf(reply))]),
      ),
      ...errorReplies(codes, writes),
    },
  };
}

function when(isSo: unknown, ...codes: ErrorCode[]): ErrorCode[] {
  return isSo ? codes : [];
}

function tagOf(path: string): string {
  if (path.startsWith('/api/poll')) return 'Polls';
  if (path.startsWith('/api/show')) return 'Shows';
  return path.startsWith('/api/webhook') ? 'Programs' : 'Health';
}

function bodyOf(body: NonNullable<Outline['body']>): object {
  if ('types' in body)
    return { description: body.description, content: contentOf(body.types), required: true };
  const { schema, example, optional } = body;
  const content = { [JSON_TYPE]: { schema: schemaOfInput(schema), example } };
  return { description: BODY_TYPES, required: !optional, content };
}

function errorReplies(codes: readonly ErrorCode[], limited: boolean): Record<string, Response> {
  const ofStatus: Record<string, PollError[]> = {};
  for (const error of codes.map(code => new PollError(code)))
    ofStatus[error.status] = [...(ofStatus[error.status] ?? []), error];
  return Object.fromEntries(
    Object.entries(ofStatus).map(([status, errors]) => [
      status,
      {
        description: errors.map(({ code, message }) => `\`${code}\`: ${message}`).join('\n\n'),
        headers: { ...CACHE_CONTROL, ...REQUEST_ID, ...(limited && LIMITS), ...ERROR_HEADERS[status] },
        content: {
          [JSON_TYPE]: {
            schema: reference('Error'),
            examples: Object.fromEntries(errors.map(error => [error.code, { value: error.toBody() }])),
          },
        },
      },
    ]),
  );
}
