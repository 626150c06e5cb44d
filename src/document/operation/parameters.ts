import { idempotencyKey } from '../../api/creation.ts';
import { resultsQuery } from '../../api/read-results.ts';
import { requestExpires } from '../../api/request-expiry.ts';
import { POLL_ID } from '../../poll/create-poll.ts';
import { SHOW_NAME } from '../../poll/name-rules.ts';
import { READABLE_POLL_ID } from '../../poll/rehearsal.ts';
import { type JsonSchema, membersOfInput, schemaOfInput } from '../json-schema.ts';

/** Where a parameter travels, and what it may be. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

const id = { name: 'id', in: 'path', required: true } as const;

export const pollId: Parameter = {
  ...id,
  description: 'The poll; `rehearsal` is a simulated one, to read and watch.',
  schema: { type: 'string', pattern: READABLE_POLL_ID },
};

/** What can be changed. */
export const storedPollId: Parameter = {
  ...id,
  description: 'The poll.',
  schema: { type: 'string', pattern: POLL_ID.source },
};

export const showName: Parameter = {
  name: 'name',
  in: 'path',
  required: true,
  description: 'The show.',
  schema: { type: 'string', pattern: SHOW_NAME.source },
};

export const viewKey: Parameter = {
  name: 'key',
  in: 'query',
  description:
    'A `view_key`, for callers that cannot set a header. It is never logged. Every other key travels in a header.',
  schema: { type: 'string' },
};

export const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of what the caller holds: answered with 304 where nothing has changed.',
  schema: { type: 'string' },
};

export const repeatable: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes a request safe to send again: for 24 hours the same key with the same body gives the first reply, and creates nothing.',
  schema: schemaOfInput(idempotencyKey),
};

export const pressable: Parameter = {
  ...repeatable,
  description:
    'Makes a press safe to send again: the same key changes nothing the second time, and the reply is the show as it is then. The newest 50 of a show are remembered.',
};

export const expires: Parameter = {
  name: 'Request-Expires',
  in: 'header',
  description:
    'Until when the request is wanted: UNIX time in seconds by the relay’s clock. Where the relay gets to it later, it is refused and changes nothing.',
  schema: schemaOfInput(requestExpires),
};

/** Without `format`: a reply has one type for generated clients. */
export const readQuery = fromQuery(membersOfInput(resultsQuery.omit({ format: true })));

/** Everything in a query is text; what has to be a number is one to whoever reads the document. */
export function fromQuery(members: Record<string, JsonSchema>): Parameter[] {
  return Object.entries(members).map(([name, { description, pattern: _, ...schema }]) => ({
    name,
    in: 'query',
    ...(typeof description === 'string' && { description }),
    schema,
  }));
}
