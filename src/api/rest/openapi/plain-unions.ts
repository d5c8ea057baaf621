import { isObject, type Json, type JsonObject } from './shared.ts';

/**
 * Rewrites unions that code generators turn into wrapper classes, or give up on, as one plain schema: nullable types
 * (`type: [string, null]`, OpenAPI 3.1), unions of literals (`enum`) and unions of strings. Other unions stay.
 */
export function withPlainUnions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withPlainUnions);
  if (!isObject(value)) return value;
  const schema = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withPlainUnions(inner as Json)]),
  ) as JsonObject;
  const { anyOf, properties, ...rest } = schema;
  if (typeof schema['const'] === 'boolean') return { ...always(schema['const']), ...without(schema, 'const') };
  if (isObject(properties)) return { ...rest, properties: withTypedNulls(properties) };
  if (!Array.isArray(anyOf)) return schema;
  const branches = anyOf as readonly JsonObject[];
  const plain = merged(branches.filter(({ type }) => type !== 'null'));
  if (plain === null) return schema;
  const isNullable = branches.some(({ type }) => type === 'null');
  return { ...(isNullable ? nullable(plain) : plain), ...rest };
}

/**
 * A field that is always null. It has a type besides, because openapi-generator refuses a field that can only be null.
 */
export function nothing(type: 'string' | 'object'): JsonObject {
  return { type: [type, 'null'], description: 'Always null.' };
}

/** A flag that is always the same. Not as `const`: openapi-generator's Python compares it with the text `true`. */
export function always(value: boolean): JsonObject {
  return { type: 'boolean', description: `Always ${value}.` };
}

function withTypedNulls(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isObject(schema) && schema['type'] === 'null'
        ? { ...nothing('object'), ...schema, type: ['object', 'null'] }
        : schema,
    ]),
  );
}

function without(schema: JsonObject, field: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== field));
}

/** The union as one schema with one type; `null` if it needs several. */
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

/** The same, or null. */
export function nullable({ type, enum: values, ...schema }: JsonObject): JsonObject {
  return {
    type: [type as string, 'null'],
    ...(Array.isArray(values) && { enum: [...values, null] }),
    ...schema,
  };
}
