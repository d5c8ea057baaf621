import type { Action } from '../../../actions/action.ts';
import { alternativesRules } from '../../../actions/action-text.ts';
import { alternativesOf } from '../../../actions/input/input.ts';
import { linksOf } from './links.ts';
import { always, nothing, nullable } from './plain-unions.ts';
import { refusalsOf } from './refusals.ts';
import type { SchemaBook } from './schemas.ts';
import type { Json, JsonObject } from './shared.ts';
import { actorFieldsOf, rateHeaders, reference, securityOf } from './shared.ts';
import { descriptionOf, operationIdOf, tagOf } from './words.ts';

/** One action as it was really performed: what was sent, and what came back. */
export interface Performed {
  readonly input: Readonly<Record<string, Json>>;
  /** The whole Envelope; of a stream the beginning, as text. */
  readonly answer: JsonObject | string;
}

type Fields = [name: string, schema: JsonObject][];

/** The Operation Object of one action; `actions` are all of the document. */
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
  ];
  return {
    tags: [tagOf(action)],
    operationId: operationIdOf(action),
    summary: action.summary,
    description: descriptionOf(action),
    security: securityOf(action),
    ...(parameters.length > 0 && { parameters }),
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
    // An empty body counts as {}.
    ...((needed.length > 0 || oneIsNeeded) && { required: true }),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          ...(needed.length > 0 && { required: needed }),
          properties: Object.fromEntries(
            fields.map(([name, schema]) => [name, needed.includes(name) ? schema : orLeftOut(schema)]),
          ),
        },
        example: Object.fromEntries(example),
      },
    },
  };
}

/** In a body, null for an optional field means that the field is left out. */
function orLeftOut(schema: JsonObject): JsonObject {
  return typeof schema['type'] === 'string' ? nullable(schema) : schema;
}

/**
 * The alternatives for tools that check requests. They are not part of the schema: code generators do not understand
 * `anyOf` and `not` over the fields of one object.
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
    'x-request-id',
    'Cache-Control',
  ];
  return {
    description: action.kind === 'stream' ? 'It is open, and goes on until one of both ends it.' : 'It succeeded.',
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
        properties: { status: always(true), data, error: nothing('string') },
      },
      example,
    },
  };
}

/** Server-Sent Events: what a frame's `data` holds, schema/events.json describes. */
function eventStream(example: Performed['answer']): JsonObject {
  return { 'text/event-stream': { schema: { type: 'string' }, example } };
}
