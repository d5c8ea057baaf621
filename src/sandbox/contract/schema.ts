import type base from './base.json';

type Components = (typeof base)['components'];
export type Schema = Readonly<Record<string, unknown>>;

/** The description of an operation in `schema/platform.openapi.json`, without its method, path and access. */
export interface OperationContract {
  /** One sentence, and the problems that the operation may return. */
  readonly summary: string;
  readonly description?: string;
  /** The parameters of the query and the headers. Those of the path are derived from it. */
  readonly parameters?: readonly (keyof Components['parameters'] | Schema)[];
  readonly body?: keyof Components['requestBodies'] | Schema;
  /** The responses by status. Any operation may also return a problem. */
  readonly responses: Readonly<Record<number, keyof Components['responses'] | Schema>>;
}

/** Refers to a schema of `base.json`. */
export function ref(name: keyof Components['schemas']): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Declares an object with these properties and no others. All are required, except for `optional`. */
export function closed(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties, additionalProperties: false };
}

/** Declares a page whose items have a schema of `base.json`. */
export function pageOf(items: string, name: keyof Components['schemas']): Schema {
  return closed({
    [items]: { type: 'array', maxItems: 100, items: ref(name) },
    next_cursor: { type: ['string', 'null'] },
  });
}

/** Declares a JSON response. */
export function answers(description: string, schema: Schema): Schema {
  return { description, content: { 'application/json': { schema } } };
}

/** Adds the header of a response to a repeated `idempotency-token`. */
export function replayable(response: Schema): Schema {
  return { ...response, headers: { 'idempotent-replayed': { schema: { const: 'true' } } } };
}

/** Declares a JSON request body. */
export function takes(schema: Schema, example?: unknown): Schema {
  return { required: true, content: { 'application/json': { schema, ...(example !== undefined && { example }) } } };
}
