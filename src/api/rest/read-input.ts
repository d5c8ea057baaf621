import type { IncomingMessage } from 'node:http';
import type { ParsedUrlQuery } from 'node:querystring';
import type { z } from 'zod';
import type { Action } from '../../actions/action.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { refuseCredentialsInQuery } from '../http/credential-headers.ts';

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

export type InputReader = (request: RestRequest) => RawInput;

/**
 * Returns a function that reads the raw input of an action: the query of a GET or the JSON body of other methods, and the path parameters.
 */
export function inputReader(action: Action): InputReader {
  const inPath = [...action.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const read = action.method === 'GET' ? queryReader(action) : bodyInput;
  if (inPath.length === 0) return read;
  return (request) => {
    const input: RawInput = { ...read(request) };
    for (const name of inPath) input[name] = request.params[name];
    return input;
  };
}

function queryReader(action: Action): InputReader {
  const numbers = Object.entries(action.input.shape).flatMap(([name, field]) => (isNumber(field) ? [name] : []));
  return (request) => queryInput(request, numbers);
}

function bodyInput(request: RestRequest): RawInput {
  refuseCredentialsInQuery(Object.keys(request.query), 'in the JSON body or ');
  const body: unknown = request.body === undefined ? {} : request.body;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new PosternError('unreadable_body', 'The body must be a JSON object');
  }
  return body as RawInput;
}

/** Reads a query string. Its values are strings, so digits are converted to a number if the action's field is a number. */
function queryInput(request: RestRequest, numbers: readonly string[]): RawInput {
  const input: RawInput = Object.create(null);
  for (const [name, value] of Object.entries(request.query)) {
    if (Array.isArray(value))
      throw new PosternError('malformed_field', `Malformed field: ${name}: given more than once`);
    input[name] = numbers.includes(name) && /^-?\d{1,15}$/.test(String(value)) ? Number(value) : value;
  }
  return input;
}

function isNumber(field: z.core.$ZodType): boolean {
  const { def } = field._zod;
  if (def.type === 'number') return true;
  return 'innerType' in def && isNumber(def.innerType as z.core.$ZodType);
}
