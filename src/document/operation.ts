import type * as z from 'zod';
import { idempotencyKey } from '../api/creation.ts';
import { listQuery } from '../api/list-polls.ts';
import { entriesQuery } from '../api/log-routes.ts';
import { definitionQuery } from '../api/poll-definition.ts';
import { pictureQuery } from '../api/poll-picture.ts';
import { resultsQuery } from '../api/read-results.ts';
import { requestExpires } from '../api/request-rules.ts';
import { codeQuery } from '../api/vote-code.ts';
import { POLL_ID, SHOW_NAME } from '../poll/poll.ts';
import { type ErrorCode, PollError } from '../poll/poll-error.ts';
import { READABLE_POLL_ID } from '../poll/rehearsal.ts';
import { exampleOf } from './examples.ts';
import { type JsonSchema, membersOfInput, reference, schemaOfInput } from './json-schema.ts';

/** Operations of OpenAPI 3.1. What follows from the method and the path is added here. */

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<
    Record<string, { readonly schema?: JsonSchema; readonly example?: unknown; readonly examples?: unknown }>
  >;
  readonly links?: Readonly<Record<string, unknown>>;
}

export interface Outline {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Whether the request needs an API key. */
  readonly key?: 'required' | 'optional';
  /** Without those of the path and of every write. */
  readonly parameters?: readonly Parameter[];
  readonly body?:
    | { readonly schema: z.ZodType; readonly example: unknown; readonly optional?: true }
    | { readonly content: NonNullable<Response['content']>; readonly description: string };
  readonly replies: Readonly<Record<number, Response>>;
  /** Without those that follow from the rest. */
  readonly errors?: readonly ErrorCode[];
}

const JSON_TYPE = 'application/json';
const ANY_KEY = [{ apiKey: [] }, { bearer: [] }, { olderApiKey: [] }];
const BODY_TYPES =
  'JSON in UTF-8, uncompressed. `text/plain` and a missing `Content-Type` are read as JSON; other types, charsets and encodings get 415.';
export const BODY_ERRORS = ['invalid_json', 'unsupported_media_type'] as const;

const header = (description: string, schema: JsonSchema = { type: 'string' }) => ({ description, schema });
const seconds = { type: 'integer', minimum: 0 };
export const CACHE_CONTROL = { 'Cache-Control': header('Whether and how long caches may keep this reply.') };
const ETAG = { ETag: header('Send it as `If-None-Match`. For results it is their `position`.') };
export const MATCHED = {
  ETag: header('Send it as `If-Match` with a write, which then changes nothing else than this.'),
  ...CACHE_CONTROL,
};
const LOCATION = { Location: header('The URL of what was created.') };
const LIMITS = {
  'RateLimit-Policy': header('The limit: requests (`q`) in a number of seconds (`w`).'),
  RateLimit: header('Requests left (`r`), and seconds until the limit resets (`t`).'),
  'RateLimit-Limit': header('The limit in requests per minute.', seconds),
  'RateLimit-Remaining': header('Requests left.', seconds),
  'RateLimit-Reset': header('Seconds until the limit resets.', seconds),
};
const REQUEST_ID = { 'X-Request-Id': header('Identifies the request in the log of the relay.') };
const RETRY_AFTER = { 'Retry-After': header('Seconds to wait before a retry.', seconds) };
const ERROR_HEADERS: Readonly<Record<string, Response['headers']>> = {
  401: { 'WWW-Authenticate': header('The kind of key that is required.') },
  405: { Allow: header('The supported methods.') },
  412: { ETag: header('Of the poll’s definition, or of the show, as it is now.') },
  429: { ...LIMITS, ...RETRY_AFTER },
  500: REQUEST_ID,
  503: { ...REQUEST_ID, ...RETRY_AFTER },
};

const inHeader = (name: string, description: string, schema: JsonSchema): Parameter => ({
  name,
  in: 'header',
  description,
  schema,
});
const inPath = (name: string, description: string, pattern: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', pattern },
});

const readablePollId = inPath('id', 'The poll. `rehearsal` is a simulated one.', READABLE_POLL_ID);
const storedPollId = inPath('id', 'The poll.', POLL_ID.source);
const showName = inPath('name', 'The show.', SHOW_NAME.source);
export const logoFile = inPath('file', 'The last part of `logo`.', '^[0-9a-f]{64}\\.(png|jpg|webp)$');
const expires = inHeader(
  'Request-Expires',
  'UNIX time in seconds, by the clock of the relay, until which the request is wanted. Afterwards it is rejected and changes nothing.',
  schemaOfInput(requestExpires),
);

export const voidRule = inPath('rule', 'A rule of the poll, by its `id`.', '^[\\w-]{1,64}$');
export const logEpoch = inPath('epoch', 'The epoch of the log, from 2 on.', '^[1-9]\\d{0,5}$');
export const logTile = [
  inPath('level', 'Level of the hashes, or `entries`.', '^(entries|[0-6])$'),
  inPath('index', 'Index of the tile, in three digits.', '^\\d{3}$'),
];
export const logQuery = fromQuery(entriesQuery);
export const webhookId = inPath('webhook', 'The webhook.', '^[0-9a-f]{18}$');
export const viewKey: Parameter = {
  name: 'key',
  in: 'query',
  description: 'A `view_key`, for clients that cannot set headers. Other keys work in headers only.',
  schema: { type: 'string' },
};
export const ifNoneMatch = inHeader('If-None-Match', 'An `ETag`. If nothing has changed, the reply is 304.', {
  type: 'string',
});
export const repeatable = inHeader(
  'Idempotency-Key',
  'Makes a retry safe: for 24 hours the same key and body get the first reply, and nothing is created again.',
  schemaOfInput(idempotencyKey),
);
export const pressable: Parameter = {
  ...repeatable,
  description:
    'Makes a retry safe: the same key changes nothing again, and the reply is the current show. A show remembers the newest 50.',
};
/** Without `format`, so that generated clients have one type for the reply. */
export const readQuery = fromQuery(resultsQuery.omit({ format: true }));
export const definitionParameters = fromQuery(definitionQuery);
export const pageQuery = fromQuery(listQuery);
export const sizeQuery = fromQuery(codeQuery);
export const pictureParameters = fromQuery(pictureQuery);

/** Queries are text, but documents state the type of the value. */
function fromQuery(schema: z.ZodObject): Parameter[] {
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

export function json(
  description: string,
  schemaName: string,
  more: Omit<Response, 'description'> = {},
): Response {
  return { description, content: jsonContent(schemaName), headers: CACHE_CONTROL, ...more };
}

/** @param schema if other replies have it too */
export function jsonContent(
  schemaName: string,
  schema = reference(schemaName),
): NonNullable<Response['content']> {
  return { [JSON_TYPE]: { schema, example: exampleOf(schemaName) } };
}

export function created(description: string, schemaName: string, links: Response['links'] = {}): Response {
  return json(description, schemaName, { headers: { ...LOCATION, ...CACHE_CONTROL }, links });
}

/** A reply with an `ETag`, and the 304 without a body. */
export function cached(content: Response['content'] = {}, description = 'OK'): Outline['replies'] {
  const headers = { ...ETAG, ...CACHE_CONTROL };
  return { 200: { description, headers, content }, 304: { description: 'Nothing has changed.', headers } };
}

export function image(...types: readonly string[]): NonNullable<Response['content']> {
  const schema = { type: 'string', format: 'binary' };
  return Object.fromEntries(types.map(type => [type, { schema }]));
}

/** @param route method and path, such as `GET /api/poll/{id}` */
export function operation(route: string, { id, summary, description, ...outline }: Outline): object {
  const { key, parameters = [], body, replies, errors = [] } = outline;
  const [method, path = ''] = route.split(' ');
  const writes = method !== 'GET';
  const isPoll = path.includes('{id}');
  const ofPath = isPoll
    ? [writes ? storedPollId : readablePollId]
    : path.includes('{name}')
      ? [showName]
      : [];
  const codes: ErrorCode[] = [
    'invalid_request',
    'url_too_long',
    'headers_too_large',
    'internal_error',
    'engine_unavailable',
    ...(writes ? (['origin_rejected', 'request_expired', 'rate_limited', 'body_too_large'] as const) : []),
    ...(writes && isPoll ? (['method_not_allowed'] as const) : []),
    ...(writes && ofPath.length > 0 ? (['precondition_failed'] as const) : []),
    ...(body ? (['unsupported_media_type'] as const) : []),
    ...(body && 'schema' in body ? (['invalid_json'] as const) : []),
    ...(key ? (['api_key_required', 'api_key_rejected'] as const) : []),
    ...(ofPath.length > 0
      ? ([isPoll ? 'poll_not_found' : 'show_not_found', 'route_not_found'] as const)
      : []),
    ...errors,
  ];
  const limited = (reply: Response): Response =>
    writes ? { ...reply, headers: { ...reply.headers, ...LIMITS } } : reply;
  return {
    operationId: id,
    tags: [tagOf(path)],
    summary,
    ...(description !== undefined && { description }),
    ...(key && { security: key === 'optional' ? [{}, ...ANY_KEY] : ANY_KEY }),
    parameters: [...ofPath, ...parameters, ...(writes ? [expires] : [])],
    ...(body && { requestBody: bodyOf(body) }),
    responses: {
      ...Object.fromEntries(Object.entries(replies).map(([status, reply]) => [status, limited(reply)])),
      ...errorReplies(codes, writes),
    },
  };
}

function tagOf(path: string): string {
  if (path.startsWith('/api/poll')) return 'Polls';
  if (path.startsWith('/api/show')) return 'Shows';
  return path.startsWith('/api/webhook') ? 'Programs' : 'Health';
}

function bodyOf(body: NonNullable<Outline['body']>): object {
  if ('content' in body) return { ...body, required: true };
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
        headers: { ...CACHE_CONTROL, ...(limited && LIMITS), ...ERROR_HEADERS[status] },
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
