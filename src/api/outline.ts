import type * as z from 'zod';
import type { ErrorCode } from '../poll/poll-error.ts';
import type { REPLIES } from './replies.ts';

/**
 * The documentation of a route, which is part of its options: `config: { outline }`. The OpenAPI
 * document and the table of the README are made of all outlines. What follows from the method and
 * the path is added there.
 */
export interface Outline {
  /** The `operationId`. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Whether the request needs an API key. A write does, unless it says otherwise. */
  readonly key?: 'required' | 'optional';
  /** What `*` in the path stands for. */
  readonly wildcard?: string;
  /** Parameters of the path, except for the poll and the show. */
  readonly path?: readonly PathParameter[];
  readonly query?: z.ZodObject;
  /** Further parameters, which the documents do not list. */
  readonly unlisted?: readonly string[];
  readonly takes?: readonly SharedParameter[];
  readonly body?:
    | { readonly schema: z.ZodType; readonly example: unknown; readonly optional?: true }
    | { readonly types: readonly string[]; readonly description: string };
  readonly replies: Readonly<Record<number, ReplyOutline>>;
  /** Without those that follow from the rest. */
  readonly errors?: readonly ErrorCode[];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `asyncapi` for a stream, which the AsyncAPI document describes. */
    outline?: Outline | 'asyncapi';
  }
}

export interface PathParameter {
  readonly name: string;
  readonly description: string;
  readonly pattern: string;
}

/**
 * Parameters of several routes. `press` is an `Idempotency-Key` that the show remembers; `secret` is
 * one whose reply has a key that the caller has not had.
 */
export type SharedParameter = 'key' | 'If-None-Match' | 'Idempotency-Key' | 'press' | 'secret';

export interface ReplyOutline {
  readonly description: string;
  /** A body in JSON, by the names of its schemas; the first one has the example. */
  readonly json?: readonly (keyof typeof REPLIES)[];
  /** Media types of any other body. */
  readonly types?: readonly string[];
  /** `plain`, the default, is `Cache-Control`; the others have `ETag` or `Location` too. */
  readonly headers?: 'none' | 'plain' | 'cached' | 'matched' | 'created';
  readonly links?: Links;
}

/** Further operations, with a parameter from the body of the reply. */
export interface Links {
  readonly parameter: 'id' | 'name';
  readonly key: string;
  /** Ids of operations; only `read` works without the key. */
  readonly operations: Readonly<Record<string, string>>;
}

export const BODY_ERRORS = ['invalid_json', 'unsupported_media_type'] as const;

/** Generated clients send it in `Accept` for images. */
export const BYTES_TYPE = 'application/octet-stream';

type ReplyMembers = Omit<ReplyOutline, 'description' | 'json'>;

export function json(
  description: string,
  name: keyof typeof REPLIES,
  members: ReplyMembers = {},
): ReplyOutline {
  return { description, json: [name], ...members };
}

export function created(description: string, name: keyof typeof REPLIES, links?: Links): ReplyOutline {
  return json(description, name, links ? { headers: 'created', links } : { headers: 'created' });
}

/** A reply with an `ETag`, and the 304 without a body. */
export function cached(reply: ReplyOutline): Outline['replies'] {
  return {
    200: { ...reply, headers: 'cached' },
    304: { description: 'Nothing has changed.', headers: 'cached' },
  };
}
