export type Schema = Readonly<Record<string, unknown>>;

/**
 * Describes an operation in `schema/sandbox.openapi.json`. The method, path and access are declared by the operation
 * itself. Strings are names of the document's components, which are written by hand.
 */
export interface OperationContract {
  /** One sentence that describes the operation, followed by the problems that the operation may return. */
  readonly summary: string;
  readonly description?: string;
  /** The query and header parameters. Path parameters are derived from the path. */
  readonly parameters?: readonly (string | Schema)[];
  readonly body?: string | Schema;
  /** The responses by status. Any operation may also return a problem. */
  readonly responses: Readonly<Record<number, string | Schema>>;
}

/** Returns a reference to a schema of the document. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * Declares an object schema that allows only these properties. All properties are required except those in `optional`.
 */
export function closedObject(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties, additionalProperties: false };
}

/** Declares the schema of a page. The items of the page have the named schema of the document. */
export function pageOf(items: string, name: string): Schema {
  return closedObject({
    [items]: { type: 'array', maxItems: 100, items: ref(name) },
    next_cursor: { type: ['string', 'null'] },
  });
}

/** Declares a JSON response. */
export function jsonResponse(description: string, schema: Schema): Schema {
  return { description, content: { 'application/json': { schema } } };
}

/** Declares a JSON request body. */
export function jsonBody(schema: Schema, example?: unknown): Schema {
  return { required: true, content: { 'application/json': { schema, ...(example !== undefined && { example }) } } };
}
