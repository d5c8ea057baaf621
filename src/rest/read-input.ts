import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { z } from 'zod';
import type { Action } from '../core/action.ts';
import { PosternError } from '../errors/postern-error.ts';

export type RawInput = Record<string, unknown>;

export const bodyLimitBytes = 1024 * 1024;
/** Of actions that take media as base64. */
export const largeBodyLimitBytes = 24 * 1024 * 1024;

/** Reads a JSON body into `request.body`; refuses what is not one (413, 415, 400). */
export function readBody(limitBytes = bodyLimitBytes): RequestHandler {
  // Every body is read as JSON; what else it may claim to be was refused before.
  const parseJson = express.json({ limit: limitBytes, strict: false, type: () => true });
  return (request: Request, response: Response, next: NextFunction) => {
    // The parser would read all of it first. What still comes is dropped by the server after the answer.
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
    const type = request.headers['content-type'];
    if (hasBody(request) && !/^application\/json\s*(;|$)/i.test(type ?? '')) {
      throw new PosternError('unsupported_media_type', 'The body must be JSON, with Content-Type: application/json');
    }
    parseJson(request, response, (fault?: unknown) =>
      next(fault === undefined ? undefined : bodyFault(fault, limitBytes)),
    );
  };
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function tooLarge(limitBytes: number): PosternError {
  return new PosternError('too_large', `The body is larger than ${limitBytes} bytes`);
}

/** The faults of body-parser by their `type`. Its messages quote the body, which may hold secrets, so ours are used. */
function bodyFault(fault: unknown, limitBytes: number): PosternError {
  const type = fault instanceof Error && 'type' in fault ? String(fault.type) : '';
  switch (type) {
    case 'entity.too.large':
      return tooLarge(limitBytes);
    case 'charset.unsupported':
      return new PosternError('unsupported_media_type', 'The body must be UTF-8');
    case 'encoding.unsupported':
      return new PosternError('unsupported_media_type', 'The Content-Encoding of the body is not supported');
    case 'entity.parse.failed':
      return new PosternError('bad_input', 'The body is not valid JSON');
    default:
      return new PosternError('bad_input', 'The body could not be read: it is cut short or wrongly encoded');
  }
}

export type InputReader = (request: Request) => RawInput;

/** How the action's raw input is read from a request: the query of a GET, the JSON body of all else, and the path. */
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

function bodyInput(request: Request): RawInput {
  const body: unknown = request.body === undefined ? {} : request.body;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new PosternError('bad_input', 'The body must be a JSON object');
  }
  return body as RawInput;
}

/** Queries hold text alone, so digits become a number where the action wants one. */
function queryInput(request: Request, numbers: readonly string[]): RawInput {
  const input: RawInput = Object.create(null);
  for (const [name, value] of Object.entries(request.query)) {
    if (Array.isArray(value)) throw new PosternError('bad_input', `Malformed field: ${name}: given more than once`);
    input[name] = numbers.includes(name) && /^-?\d{1,15}$/.test(String(value)) ? Number(value) : value;
  }
  return input;
}

function isNumber(field: z.core.$ZodType): boolean {
  const { def } = field._zod;
  if (def.type === 'number') return true;
  return 'innerType' in def && isNumber(def.innerType as z.core.$ZodType);
}
