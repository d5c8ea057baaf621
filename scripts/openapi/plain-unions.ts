import type { Json, JsonObject } from './shared.ts';

/**
 * Replaces unions that many code generators do not support by one plain schema: nullable types (`type: [string, null]`, OpenAPI 3.1),
 * unions of literals (`enum`) and unions of strings. Other unions stay unchanged.
 */
export function withPlainUnions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withPlainUnions);
  if (!isObject(value)) return value;
  const schema = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withPlainUnions(inner as Json)]),
  ) as JsonObject;
  const { anyOf, properties, ...rest } = schema;
  if (typeof schema['const'] === 'boolean') return { ...constantBoolean(schema['const']), ...without(schema, 'const') };
  if (isObject(properties)) return { ...rest, properties: withTypedNulls(properties) };
  if (!Array.isArray(anyOf)) return schema;
  const branches = anyOf as readonly JsonObject[];
  const plain = merged(branches.filter(({ type }) => type !== 'null'));
  if (plain === null) return schema;
  const isNullable = branches.some(({ type }) => type === 'null');
  return { ...(isNullable ? nullableSchema(plain) : plain), ...rest };
}

/**
 * Returns the schema of a field that is always null. The schema has a second type, because openapi-generator refuses a field that can only
 * be null.
 */
export function alwaysNull(type: 'string' | 'object'): JsonObject {
  return { type: [type, 'null'], description: 'Always null.' };
}

/**
 * Returns the schema of a boolean with a fixed value. It does not use `const`, because openapi-generator's Python client compares a `const`
 * boolean with the text `true`.
 */
export function constantBoolean(value: boolean): JsonObject {
  return { type: 'boolean', description: `Always ${value}.` };
}

function withTypedNulls(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isObject(schema) && schema['type'] === 'null'
        ? { ...alwaysNull('object'), ...schema, type: ['object', 'null'] }
        : schema,
    ]),
  );
}

function without(schema: JsonObject, field: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== field));
}

/** Merges the branches of a union into one schema with one type. Returns `null` if the union needs several types. */
function merged(branches: readonly JsonObject[]): JsonObject | null {
  const [first] = branches;
  if (!first || typeof first['type'] !== 'string') return null;
  if (branches.length === 1) return first;
  const { type } = first;
  if (!branches.every((branch) => branch['type'] === type)) return null;
  const literals = branches.map((branch) => branch['const']);
  if (literals.every((literal) => literal !== undefined)) {
    const isInteger = type === 'number' && literals.every(Number.isInteger);
    return { type: isInteger ? 'integer' : type, enum: literals };
  }
  return type === 'string' ? { type } : null;
}

/** Returns a copy of the schema that allows null too. */
export function nullableSchema({ type, enum: values, ...schema }: JsonObject): JsonObject {
  return {
    type: [type as string, 'null'],
    ...(Array.isArray(values) && { enum: [...values, null] }),
    ...schema,
  };
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
