import type base from './base.json';

type Components = (typeof base)['components'];
export type Schema = Readonly<Record<string, unknown>>;

/** How `schema/platform.openapi.json` describes an operation, as far as its method, path and access do not say it. */
export interface OperationContract {
  /** One sentence, and the problems that it may answer with. */
  readonly summary: string;
  readonly description?: string;
  /** Of the query and the headers. Those of the path are known by the path. */
  readonly parameters?: readonly (keyof Components['parameters'] | Schema)[];
  readonly body?: keyof Components['requestBodies'] | Schema;
  /** By status. Any operation may answer with a problem besides. */
  readonly responses: Readonly<Record<number, keyof Components['responses'] | Schema>>;
}

/** A schema of `base.json`. */
export function ref(name: keyof Components['schemas']): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object with these properties and no others. All are required, except for `optional`. */
export function closed(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties, additionalProperties: false };
}

/** A page of what `base.json` has a schema of. */
export function pageOf(items: string, name: keyof Components['schemas']): Schema {
  return closed({
    [items]: { type: 'array', maxItems: 100, items: ref(name) },
    next_cursor: { type: ['string', 'null'] },
  });
}

/** A response of JSON. */
export function answers(description: string, schema: Schema): Schema {
  return { description, content: { 'application/json': { schema } } };
}

/** The same with the header that a repeated `idempotency-token` brings. */
export function replayable(response: Schema): Schema {
  return { ...response, headers: { 'idempotent-replayed': { schema: { const: 'true' } } } };
}

/** A request body of JSON. */
export function takes(schema: Schema, example?: unknown): Schema {
  return { required: true, content: { 'application/json': { schema, ...(example !== undefined && { example }) } } };
}
