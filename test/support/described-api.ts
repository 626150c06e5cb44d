import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openapiDocument } from '../../src/document/openapi.ts';

/** The OpenAPI document as a judge: of a request and its reply it says what it does not describe. */

type Json = Record<string, unknown>;

interface DescribedReply {
  readonly content?: Record<string, { schema: Json; examples?: Json }>;
  readonly headers?: Json;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly requestBody?: { content: Record<string, { schema: Json }> };
  readonly responses: Record<string, DescribedReply>;
}

export const openapi = JSON.parse(JSON.stringify(await openapiDocument())) as {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, Json> };
};

export interface Exchange {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
// What is not described is a fault here; to readers of the document it is a newer relay.
ajv.addSchema({ $id: 'api', components: { schemas: mapSchemas(openapi.components.schemas) } });
const validators = new Map<Json, ValidateFunction>();
const routes = Object.entries(openapi.paths).map(([path, operations]) => ({
  pattern: new RegExp(`^${path.replace('{level}/{index}', '.+').replace(/\{\w+\}/g, '[^/]+')}/?$`),
  operations,
}));

/** Headers that a document of an API need not name. */
const EVERYWHERE =
  /^(?:access-control-|connection$|content-|cross-origin-|permissions-policy$|x-frame-options$|date$|keep-alive$|referrer-policy$|transfer-encoding$|vary$|x-content-type-options$)/;

/** Described by AsyncAPI. */
const STREAM = /\/live$/;

/** Shapes of the results that the descriptions of these operations name. */
const FORMATTED = ['readPoll', 'readShowResults'];
const FORMATS: Readonly<Record<string, DescribedReply['content']>> = {
  rows: {
    'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/ResultsRow' } } },
  },
  csv: { 'text/csv': { schema: {} } },
  xml: { 'application/xml': { schema: {} } },
  text: { 'text/plain': { schema: {} } },
};

/** @returns undefined where everything is described */
export function faultOfExchange({ method, path, status, headers, text }: Exchange): string | undefined {
  // Answered by CORS, whatever is there.
  if (method === 'OPTIONS') return undefined;
  const [address = '', query] = path.split('?');
  const route = routes.find(({ pattern }) => pattern.test(address));
  // Another method, or another address: told in general.
  if (!route)
    return status >= 400 && (status < 500 || STREAM.test(address)) ? undefined : `${path} is not described`;
  const operation = route.operations[method.toLowerCase() === 'head' ? 'get' : method.toLowerCase()];
  if (!operation) return [404, 405].includes(status) ? undefined : `${method} ${path} is not described`;
  const reply = operation.responses[status];
  if (!reply) return `${method} ${path}: ${status} is not described: ${text}`;
  const unnamed = [...headers.keys()].filter(
    name =>
      !EVERYWHERE.test(name) && !Object.keys(reply.headers ?? {}).some(known => known.toLowerCase() === name),
  );
  if (unnamed.length > 0)
    return `${method} ${path}: ${status} has headers that are not described: ${unnamed}`;
  if (text === '') return undefined;
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const params = new URLSearchParams(query);
  const format =
    FORMATTED.includes(operation.operationId) && (params.get('download') ?? params.get('format'));
  const content = ((status === 200 && format && FORMATS[format]) || reply.content)?.[type];
  if (!content) return `${method} ${path}: ${status} as ${type} is not described`;
  if (type !== 'application/json') return undefined;
  const validate = validatorOf(content.schema);
  const json = JSON.parse(text) as { error?: { code: string } };
  if (!validate(json)) return `${method} ${path}: ${status} ${ajv.errorsText(validate.errors)}: ${text}`;
  // The schema of errors has all codes; each reply lists its own as examples.
  const { code = '' } = json.error ?? {};
  if (status >= 400 && !Object.hasOwn(content.examples ?? {}, code))
    return `${method} ${path}: ${status} ${code} is not described`;
  return undefined;
}

function validatorOf(schema: Json): ValidateFunction {
  const known = validators.get(schema) ?? ajv.compile(withReferences(schema));
  validators.set(schema, known);
  return known;
}

function mapSchemas(schemas: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, closed(withReferences(schema))]),
  );
}

function withReferences(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components'));
}

/** Every object with the members that are named, and no more. */
function closed(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema), (_, value) =>
    value?.type === 'object' && value.properties ? { ...value, additionalProperties: false } : value,
  );
}
