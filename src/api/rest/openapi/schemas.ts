import { z } from 'zod';
import { textPattern } from '../../../shared/model/scalars.ts';
import { withPlainUnions } from './plain-unions.ts';
import { isObject, type Json, type JsonObject } from './shared.ts';

/** Turns the schemas of actions into those of the document, and collects the named ones on the way. */
export class SchemaBook {
  readonly #named = new Map<string, JsonObject>();

  /** An action's input as the caller sends it. A text without a pattern of its own gets one that excludes NUL. */
  input(schema: z.ZodObject): JsonObject {
    const { properties = {}, ...rest } = this.#convert(schema, 'input');
    const fields = Object.entries(properties as Record<string, JsonObject>);
    return { ...rest, properties: Object.fromEntries(fields.map(([name, field]) => [name, withoutNul(field)])) };
  }

  /** An action's output as the caller gets it. A schema with an id becomes a reference. */
  output(schema: z.ZodType): JsonObject {
    // Wrapped, since the converter names only what is referred to.
    const { properties } = this.#convert(z.object({ it: schema }), 'output');
    return (properties as { it: JsonObject }).it;
  }

  /** `components/schemas`, by name. */
  components(): JsonObject {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
    const converted = z.toJSONSchema(schema, {
      io,
      // What only a check of our own describes has its type written beside it.
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
  const isFree = type === 'string' && pattern === undefined && values === undefined && format === undefined;
  return isFree ? { ...schema, pattern: textPattern } : schema;
}

function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  // That JavaScript counts exactly up to here is no promise of this API.
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  // More fields may come in later versions: callers should pass over what they do not know.
  delete schema.additionalProperties;
  // Spelled out for the many tools that do not know tuples: so many of the same kind.
  const [first, ...others] = schema.prefixItems ?? [];
  if (first !== undefined && others.every((item) => JSON.stringify(item) === JSON.stringify(first))) {
    delete schema.prefixItems;
    schema.items = first;
  }
  if (schema.format === 'date-time' || schema.format === 'date') {
    // The format says the same, readably.
    delete schema.pattern;
  } else if (schema.pattern !== undefined) {
    // `\d` has more digits in some dialects than ECMA-262 gives it.
    // RE2, which Go has, knows no `\u0000`.
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
