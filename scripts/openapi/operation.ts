import type { Action } from '../../src/actions/action.ts';
import { alternativesRules, operationDescription, operationIdOf, tagOf } from '../../src/actions/action-text.ts';
import { alternativesOf } from '../../src/actions/input/input.ts';
import { linksOf } from './links.ts';
import { alwaysNull, constantBoolean, nullableSchema } from './plain-unions.ts';
import { refusalsOf } from './refusals.ts';
import type { SchemaBook } from './schemas.ts';
import type { Json, JsonObject } from './shared.ts';
import { actorFieldsOf, rateHeaders, reference, securityOf } from './shared.ts';

/** A real request and response of one action, for the examples. */
export interface Performed {
  readonly input: Readonly<Record<string, Json>>;
  /** The whole Envelope, or the beginning of a stream as text. */
  readonly answer: JsonObject | string;
}

type Fields = [name: string, schema: JsonObject][];

/** Returns the Operation Object of one action. `actions` contains all actions of the document, for the links. */
export function operationOf(
  action: Action,
  actions: readonly Action[],
  book: SchemaBook,
  performed: Performed,
): JsonObject {
  const input = book.input(action.input);
  const own = Object.entries((input['properties'] ?? {}) as Record<string, JsonObject>);
  const fields: Fields = [...own, ...Object.entries(actorFieldsOf(action))];
  const required = (input['required'] ?? []) as string[];
  const inPath = fields.filter(([name]) => action.path.includes(`{${name}}`));
  const others = fields.filter((field) => !inPath.includes(field));
  const takesQuery = action.method === 'GET';
  const parameters = [
    ...inPath.map((field) => parameter(field, 'path', true, performed)),
    ...(takesQuery ? others.map((field) => parameter(field, 'query', required.includes(field[0]), performed)) : []),
    ...(action.actor || action.keepsActor ? [reference('parameters', 'proxyHeader')] : []),
    ...(action.method === 'POST' ? [reference('parameters', 'idempotencyKey')] : []),
    ...(action.kind === 'stream' ? [reference('parameters', 'lastEventId')] : []),
    reference('parameters', 'prefer'),
  ];
  return {
    tags: [tagOf(action)],
    operationId: operationIdOf(action),
    summary: action.summary,
    description: operationDescription(action),
    ...(action.deprecated && { deprecated: true }),
    security: securityOf(action),
    parameters,
    ...alternativesExtension(action),
    ...(!takesQuery && others.length > 0 && { requestBody: requestBody(action, others, required, inPath, performed) }),
    responses: { 200: { ...success(action, book, performed), ...linksOf(action, actions) }, ...refusalsOf(action) },
  };
}

function parameter(
  [name, { description, ...schema }]: [string, JsonObject],
  place: 'path' | 'query',
  required: boolean,
  { input }: Performed,
): JsonObject {
  return {
    name,
    in: place,
    ...(schema['type'] === 'array' && { explode: false }),
    ...(required && { required }),
    description,
    schema,
    ...(input[name] !== undefined && { example: input[name] }),
  };
}

function requestBody(
  action: Action,
  fields: Fields,
  required: readonly string[],
  inPath: Fields,
  { input }: Performed,
): JsonObject {
  const needed = required.filter((name) => !inPath.some(([inPathName]) => inPathName === name));
  const oneIsNeeded = alternativesOf(action.input).some(({ atLeast }) => atLeast > 0);
  const rules = alternativesRules(action);
  const example = Object.entries(input).filter(([name]) => fields.some(([field]) => field === name));
  return {
    ...(rules.length > 0 && { description: rules.join(' ') }),
    // An empty body is accepted as {}.
    ...((needed.length > 0 || oneIsNeeded) && { required: true }),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          ...(needed.length > 0 && { required: needed }),
          properties: Object.fromEntries(
            fields.map(([name, schema]) => [name, needed.includes(name) ? schema : orLeftOut(schema)]),
          ),
          additionalProperties: false,
        },
        example: Object.fromEntries(example),
      },
    },
  };
}

/** Allows null for an optional field of a body, because null means that the field is omitted. */
function orLeftOut(schema: JsonObject): JsonObject {
  return typeof schema['type'] === 'string' ? nullableSchema(schema) : schema;
}

/**
 * Describes alternative fields for tools that validate requests. The schema itself does not contain them, because code generators do not
 * support `anyOf` and `not` over the fields of one object.
 */
function alternativesExtension(action: Action): JsonObject {
  const groups = alternativesOf(action.input).map(({ fields, atLeast, atMost }) => ({
    fields,
    minimum: atLeast,
    maximum: atMost,
  }));
  return groups.length > 0 ? { 'x-alternatives': groups } : {};
}

function success(action: Action, book: SchemaBook, { answer }: Performed): JsonObject {
  const names = [
    ...(action.price > 0 ? ['x-credits-charged', 'x-credits-remaining'] : []),
    ...(action.method === 'POST' ? ['idempotent-replayed'] : []),
    ...Object.keys(rateHeaders),
    ...['x-request-id', 'Cache-Control', 'Preference-Applied', 'x-ignored-parameters'],
  ];
  return {
    description:
      action.kind === 'stream' ? 'The stream is open until the client or the service ends it.' : 'The call succeeded.',
    headers: Object.fromEntries(names.map((name) => [name, reference('headers', name)])),
    content: action.kind === 'stream' ? eventStream(answer) : envelope(book.output(action.output), answer),
  };
}

function envelope(data: JsonObject, example: Performed['answer']): JsonObject {
  return {
    'application/json': {
      schema: {
        type: 'object',
        required: ['status', 'data', 'error'],
        properties: { status: constantBoolean(true), data, error: alwaysNull('string') },
      },
      example,
    },
  };
}

/** Describes a Server-Sent Events response. schema/events.json describes the `data` of its frames. */
function eventStream(example: Performed['answer']): JsonObject {
  return { 'text/event-stream': { schema: { type: 'string' }, example } };
}
