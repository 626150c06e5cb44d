import { type ErrorCode, PollError } from '../../poll/poll-error.ts';
import { type JsonSchema, reference } from '../json-schema.ts';

/** What stands under `responses` of an operation. */

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema; readonly examples?: unknown }>>;
  readonly links?: Readonly<Record<string, unknown>>;
}

export type Responses = Record<string, Response>;

const JSON_TYPE = 'application/json';
const BYTES_TYPE = 'application/octet-stream';

const header = (description: string, schema: JsonSchema = { type: 'string' }) => ({ description, schema });

export const CACHE_CONTROL = { 'Cache-Control': header('Who may keep this reply, and for how long.') };
export const ETAG = {
  ETag: header('Of this content, where it is results their `position`: send it as `If-None-Match`.'),
};
export const LOCATION = { Location: header('Where what was created can be read.') };
const seconds = { type: 'integer', minimum: 0 };

/** Of every reply to a request that is counted. */
export const LIMITS = {
  'RateLimit-Policy': header('The allowance: how many (`q`) in how many seconds (`w`).'),
  RateLimit: header('What is left of it (`r`), and the seconds until there is more (`t`).'),
  'RateLimit-Limit': header('The same in three headers: requests a minute.', seconds),
  'RateLimit-Remaining': header('Requests that are left.', seconds),
  'RateLimit-Reset': header('Seconds until there are more.', seconds),
};

const REQUEST_ID = { 'X-Request-Id': header('By which the log of this relay names the request.') };
const RETRY_AFTER = { 'Retry-After': header('Seconds to wait before the next try.', seconds) };
const OF_STATUS: Readonly<Record<string, Response['headers']>> = {
  401: { 'WWW-Authenticate': header('The kind of key that is asked for.') },
  405: { Allow: header('The methods that it takes.') },
  429: { ...LIMITS, ...RETRY_AFTER },
  500: REQUEST_ID,
  503: { ...REQUEST_ID, ...RETRY_AFTER },
};

export function json(
  description: string,
  schemaName: string,
  more: Omit<Response, 'description' | 'content'> = {},
): Response {
  return { description, content: { [JSON_TYPE]: { schema: reference(schemaName) } }, ...more };
}

/** As what it is, and as plain bytes for clients that ask for those: generators know no type of a picture. */
export function image(description: string, type: string, headers: Response['headers'] = {}): Response {
  const schema = { type: 'string', format: 'binary' };
  return { description, headers, content: { [type]: { schema }, [BYTES_TYPE]: { schema } } };
}

/** @param limited where the refused requests are counted, too */
export function errors(codes: readonly ErrorCode[], limited = false): Responses {
  const ofStatus = new Map<number, PollError[]>();
  for (const error of codes.map(code => new PollError(code)))
    ofStatus.set(error.status, [...(ofStatus.get(error.status) ?? []), error]);
  return Object.fromEntries(
    [...ofStatus].map(([status, found]) => [`${status}`, responseOf(status, found, limited)]),
  );
}

function responseOf(status: number, found: readonly PollError[], limited: boolean): Response {
  return {
    description: found.map(({ code, message }) => `\`${code}\`: ${message}`).join('\n\n'),
    headers: { ...CACHE_CONTROL, ...(limited && LIMITS), ...OF_STATUS[status] },
    content: {
      [JSON_TYPE]: {
        schema: reference('Error'),
        examples: Object.fromEntries(found.map(error => [error.code, { value: error.toBody() }])),
      },
    },
  };
}
