import * as z from 'zod';

/** Zod schemas as JSON Schema 2020-12, which OpenAPI 3.1 and AsyncAPI 3 share. */

export type JsonSchema = Readonly<Record<string, unknown>>;

const COMPONENTS = '#/components/schemas/';

export function reference(name: string): JsonSchema {
  return { $ref: `${COMPONENTS}${name}` };
}

/** What a client may send: before conversions, with defaults. */
export function schemaOfInput(schema: z.ZodType): JsonSchema {
  return withoutHead(z.toJSONSchema(schema, { io: 'input', override }));
}

/** The members of an object that a client may send. */
export function membersOfInput(schema: z.ZodObject): Record<string, JsonSchema> {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', override });
  return properties as Record<string, JsonSchema>;
}

/** Named schemas of what a relay sends, with references to each other. */
export function schemasOfOutput(named: Readonly<Record<string, z.ZodType>>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  // As input, because output schemas forbid unknown members, which newer relays may send.
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: id => `${COMPONENTS}${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutHead(schema)]));
}

/** Adds what Zod leaves out: a default before a conversion, and `enum` for a choice of constants. */
function override({ zodSchema, jsonSchema }: Overridden): void {
  const { def } = zodSchema._zod;
  if (def.type === 'default') jsonSchema['default'] = (def as z.core.$ZodDefaultDef).defaultValue;
  const { anyOf } = jsonSchema;
  if (!anyOf?.every(choice => Object.hasOwn(choice, 'const'))) return;
  jsonSchema['enum'] = anyOf.map(choice => choice.const ?? null);
  delete jsonSchema.anyOf;
}

type Overridden = Parameters<NonNullable<z.core.ToJSONSchemaParams['override']>>[0];

function withoutHead({ $schema, $id, '~standard': _, ...schema }: Record<string, unknown>): JsonSchema {
  return schema;
}
