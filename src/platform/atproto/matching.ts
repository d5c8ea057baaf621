import { type BaseSchema, FLAG_ABORT_EARLY, type InferOutput } from '@atcute/lexicons/validations';

/**
 * Returns a value as its schema reads it, or `null` if it does not match. Stops at the first mismatch, because a server may send many.
 * `safeParse` of @atcute would collect all of them.
 */
export function matching<const Schema extends BaseSchema>(schema: Schema, value: unknown): InferOutput<Schema> | null {
  const result = schema['~run'](value, FLAG_ABORT_EARLY);
  if (result === undefined) return value as InferOutput<Schema>;
  return result.ok ? (result.value as InferOutput<Schema>) : null;
}
