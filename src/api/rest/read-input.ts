import type { IncomingMessage } from 'node:http';
import type { ParsedUrlQuery } from 'node:querystring';
import { z } from 'zod';
import type { Action } from '../../actions/action.ts';
import { innermost, knownInput } from '../../actions/input/input.ts';
import { malformedField } from '../../shared/errors/fields.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { refuseCredentialsInQuery } from '../http/request.ts';
import type { UnknownParameter } from './unknown-parameters.ts';

/** A request for which a route was found. */
export interface RestRequest {
  readonly message: IncomingMessage;
  readonly query: ParsedUrlQuery;
  /** The decoded path parameters, such as `id`. */
  readonly params: Readonly<Record<string, string>>;
  /** The JSON body; `undefined` if there is none. */
  body: unknown;
}

export type RawInput = Record<string, unknown>;

export type InputReader = (request: RestRequest) => { input: RawInput; unknown: readonly UnknownParameter[] };

/** All endpoints accept these parameters, so that a client can send its credentials with every request. */
const credentials = { auth_token: z.string(), proxy: z.string(), encryption_code: z.string() };

/**
 * Returns a function that reads the raw input of an action: the query of a GET or the JSON body of other methods, and the path parameters.
 * Unknown parameters and `null` are removed from the input.
 */
export function inputReader({ method, path, kind, input: { shape } }: Action): InputReader {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const fields = Object.entries(shape).filter(([name]) => !inPath.includes(name));
  const token = kind === 'stream' ? { token: z.string() } : {};
  const schema = z.object({ ...Object.fromEntries(fields), ...token, ...credentials });
  const known = Object.keys(schema.shape);
  const lists = fields.flatMap(([name, field]) => (innermost(field)._zod.def.type === 'array' ? [name] : []));
  const numbers = fields.flatMap(([name, field]) => (innermost(field)._zod.def.type === 'number' ? [name] : []));
  const takesQuery = method === 'GET';
  return (request) => {
    if (!takesQuery) refuseCredentialsInQuery(Object.keys(request.query), 'in the JSON body or ');
    const body = bodyOf(request);
    const { input, unknown } = knownInput(schema, takesQuery ? request.query : body);
    if (takesQuery) readQueryValues(input, numbers, lists);
    for (const name of inPath) input[name] = request.params[name];
    const place = takesQuery ? 'in the query string' : 'in the JSON body';
    const misplaced = Object.keys(takesQuery ? body : request.query).map((name) => ({ path: [name], known, place }));
    return { input, unknown: [...unknown, ...misplaced] };
  };
}

function bodyOf({ body = {} }: RestRequest): RawInput {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as RawInput;
  throw new PosternError('unreadable_body', 'The body must be a JSON object');
}

/** Converts digits to numbers and divides lists at their commas, because the values of a query are strings. Throws `bad_input`. */
function readQueryValues(input: RawInput, numbers: readonly string[], lists: readonly string[]): void {
  for (const [name, value] of Object.entries(input)) {
    if (Array.isArray(value)) throw malformedField(name, 'given more than once');
    if (numbers.includes(name) && /^-?\d{1,15}$/.test(String(value))) input[name] = Number(value);
    if (lists.includes(name)) input[name] = value === '' ? [] : String(value).split(',');
  }
}
