import { z } from 'zod';
import { textPattern } from '../../src/shared/model/scalars.ts';
import { isObject, withPlainUnions } from './plain-unions.ts';
import type { Json, JsonObject } from './shared.ts';

/** Converts zod schemas to OpenAPI schemas and collects the named schemas for `components/schemas`. */
export class SchemaBook {
  readonly #named = new Map<string, JsonObject>();

  /** Converts an action's input. Strings without a pattern of their own get a pattern that excludes NUL. */
  input(schema: z.ZodObject): JsonObject {
    const { properties = {}, ...rest } = this.#convert(schema, 'input');
    const fields = Object.entries(properties as Record<string, JsonObject>);
    return { ...rest, properties: Object.fromEntries(fields.map(([name, field]) => [name, withoutNul(field)])) };
  }

  /** Converts an action's output. A schema with an id becomes a reference. */
  output(schema: z.ZodType): JsonObject {
    // The schema is wrapped in an object, because the converter creates definitions only for nested schemas.
    const { properties } = this.#convert(z.object({ it: schema }), 'output');
    return (properties as { it: JsonObject }).it;
  }

  /** Returns `components/schemas`. */
  components(): JsonObject {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
    const converted = z.toJSONSchema(schema, {
      io,
      // Custom checks cannot be converted. Their metadata declares the JSON Schema type.
      unrepresentable: 'any',
      override: ({ jsonSchema }) => tidy(jsonSchema),
    });
    const {
      $schema: _dialect,
      $defs: named = {},
      ...rest
    } = withPlainUnions(JSON.parse(JSON.stringify(converted))) as JsonObject;
    for (const [name, definition] of Object.entries(named as Record<string, JsonObject>)) this.#name(name, definition);
    return withReferences(rest) as JsonObject;
  }

  #name(name: string, { id: _id, ...definition }: JsonObject): void {
    const entry = withReferences(definition) as JsonObject;
    const known = this.#named.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(entry)) {
      throw new Error(`two different schemas are called ${name}: give one of them another meta id`);
    }
    this.#named.set(name, entry);
  }
}

function withoutNul(schema: JsonObject): JsonObject {
  const { type, items, pattern, enum: values, format } = schema;
  if (isObject(items)) return { ...schema, items: withoutNul(items) };
  const isText = type === 'string' || (Array.isArray(type) && type.includes('string'));
  const isFree = isText && pattern === undefined && values === undefined && format === undefined;
  return isFree ? { ...schema, pattern: textPattern } : schema;
}

function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  // zod adds these limits to every integer. They are removed, because they are not limits of this API.
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  // zod forbids additional fields in outputs. Later versions may add fields, so clients must ignore unknown fields.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  // zod says that the names of a record are strings, which is true of every JSON object, and generators of clients do not know the keyword.
  delete schema.propertyNames;
  // Many tools do not support tuples, so a tuple of equal items becomes an array.
  const [first, ...others] = schema.prefixItems ?? [];
  if (first !== undefined && others.every((item) => JSON.stringify(item) === JSON.stringify(first))) {
    delete schema.prefixItems;
    schema.items = first;
  }
  if (schema.format === 'date-time' || schema.format === 'date') {
    // The format already implies the pattern and is easier to read.
    delete schema.pattern;
  } else if (schema.pattern !== undefined) {
    // `\d` matches more than ASCII digits in some regular expression dialects, and RE2, which Go uses, does not support `\u0000`.
    schema.pattern = schema.pattern.replaceAll('\\d', '[0-9]').replaceAll('\\u00', '\\x');
  }
}

function withReferences(value: Json): Json {
  if (Array.isArray(value)) return value.map(withReferences);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? inner.replace(/^#\/\$defs\//, '#/components/schemas/')
        : withReferences(inner as Json),
    ]),
  );
}
