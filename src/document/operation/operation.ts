import type { ErrorCode } from '../../poll/poll-error.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { Parameter } from './parameters.ts';
import { errors, LIMITS, type Response, type Responses } from './responses.ts';

/** One operation of REST, as OpenAPI 3.1 has it. */

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: unknown;
  readonly responses: Responses;
  readonly security?: readonly Record<string, readonly string[]>[];
}

/** An operation before what all of them have in common is added. */
interface Outline extends Omit<Operation, 'responses'> {
  readonly replies: Readonly<Record<number, Response>>;
  readonly refusals: readonly ErrorCode[];
  /** How often one caller may ask is counted. */
  readonly limited?: boolean;
}

/** Operations by path and method, the method in small letters. */
export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const ANY_KEY = [{ apiKey: [] }, { bearer: [] }, { olderApiKey: [] }];
/** A key is needed. */
export const KEYED = { security: ANY_KEY } as const;
/** A key may be needed. */
export const OPEN_OR_KEYED = { security: [{}, ...ANY_KEY] } as const;

/** What any request may meet. */
const ALWAYS: readonly ErrorCode[] = ['invalid_request', 'internal_error', 'engine_unavailable'];
/** What any request that changes something may meet. */
export const WRITING: readonly ErrorCode[] = ['origin_rejected', 'request_expired'];
/** What a body may meet. */
export const WITH_BODY: readonly ErrorCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type'];

export function operation({ replies, refusals, limited = false, ...outline }: Outline): Operation {
  const counted = (reply: Response): Response =>
    limited ? { ...reply, headers: { ...reply.headers, ...LIMITS } } : reply;
  const codes = new Set<ErrorCode>([...refusals, ...ALWAYS, ...(limited ? ['rate_limited' as const] : [])]);
  return {
    ...outline,
    responses: {
      ...Object.fromEntries(Object.entries(replies).map(([status, reply]) => [status, counted(reply)])),
      ...errors([...codes], limited),
    },
  };
}

const BODY_TYPES =
  'JSON in UTF-8, uncompressed. `text/plain` and a missing `Content-Type` are read as JSON, too; every other type, charset or encoding is answered 415.';

/** @param example a whole body */
export function body(schema: JsonSchema, example: unknown, required = true): unknown {
  return { description: BODY_TYPES, required, content: { 'application/json': { schema, example } } };
}
