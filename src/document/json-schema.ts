import * as z from 'zod';

/** Schemas that validate, in the words of JSON Schema 2020-12, which OpenAPI 3.1 and AsyncAPI 3 share. */

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Where both kinds of document keep what has a name. */
export const COMPONENTS = '#/components/schemas/';

export function reference(name: string): JsonSchema {
  return { $ref: `${COMPONENTS}${name}` };
}

/** What a caller may send: before conversions, and with the defaults of what is left out. */
export function schemaOfInput(schema: z.ZodType): JsonSchema {
  return withoutHead(z.toJSONSchema(schema, { io: 'input', override }));
}

/** The members of an object that a caller may send, each for itself. */
export function membersOfInput(schema: z.ZodObject): Record<string, JsonSchema> {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', override });
  return properties as Record<string, JsonSchema>;
}

/** Named schemas of what is sent; where one holds another one, it refers to it. */
export function schemasOfOutput(named: Readonly<Record<string, z.ZodType>>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  // Read as input: what is sent may grow, and whoever reads it passes over members that they do not know.
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: id => `${COMPONENTS}${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutHead(schema)]));
}

/** Says what Zod leaves out: a default in front of a conversion, and that a choice of constants is an enumeration. */
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
