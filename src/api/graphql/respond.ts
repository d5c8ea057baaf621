import type { ServerResponse } from 'node:http';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { type ErrorCode, errorCodeHeader, errorCodeOf } from '../../shared/errors/table.ts';
import { endResponse } from '../http/end-response.ts';
import { toJson } from '../http/json-slices.ts';
import { showRate } from '../http/rate-limit.ts';
import { noteError } from '../http/request-locals.ts';
import { refusal } from './errors.ts';

const types = ['application/graphql-response+json', 'application/json'] as const;

type ResponseType = (typeof types)[number];

/** The effect of an error on the HTTP response. It is not sent to callers. */
export interface HttpExtension {
  status?: number;
  headers?: Record<string, string>;
  /** The code of the error table. The default follows from the status. */
  code?: ErrorCode;
  /** True if GraphQL over HTTP requires status 200 for callers that accept only `application/json`. */
  spec?: boolean;
}

export interface ResponseOptions {
  type: ResponseType;
  bytesLimit: number;
}

/**
 * Writes a result. The status is 200 if the result has data, otherwise the status of its worst error. A result that is longer than the
 * limit is replaced by an error with the same `extensions`, because the caller must see the cost of the calls that ran.
 */
export async function respond(
  response: ServerResponse,
  result: ExecutionResult,
  options: ResponseOptions,
): Promise<void> {
  const { type, bytesLimit } = options;
  const json = toJson(asSent(result), bytesLimit);
  const body = json instanceof Promise ? await json : json;
  if (body) send(response, body, result.errors, type);
  else {
    const { extensions = {} } = result;
    const error = tooLarge(bytesLimit);
    noteError(response, error);
    const refused = { errors: [refusal(error)], extensions };
    send(response, Buffer.from(JSON.stringify(asSent(refused))), refused.errors, type);
  }
}

export function tooLarge(bytesLimit: number): PosternError {
  return new PosternError(
    'response_size_limit',
    `Too large: the response has more than ${bytesLimit} bytes. Select fewer items (first) or fewer long texts`,
  );
}

function asSent(result: ExecutionResult): object {
  return result.errors ? { ...result, errors: result.errors.map(withoutHttp) } : result;
}

function send(
  response: ServerResponse,
  body: string | Buffer,
  errors: ExecutionResult['errors'],
  type: ResponseType,
): void {
  response.statusCode = 200;
  showRate(response);
  for (const { extensions } of errors ?? []) {
    const { status = 200, headers = {}, code, spec = false } = (extensions['http'] ?? {}) as HttpExtension;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if ((spec && type === 'application/json') || status <= response.statusCode) continue;
    response.statusCode = status;
    response.setHeader(errorCodeHeader, code ?? errorCodeOf(status));
  }
  response.setHeader('content-type', `${type}; charset=utf-8`);
  // Node sets Content-Length itself if the body is a string.
  if (typeof body !== 'string') response.setHeader('content-length', body.length);
  endResponse(response, body);
}

function withoutHttp({ message, locations, path, extensions: { http: _http, ...extensions } }: GraphQLError) {
  return { message, locations, path, extensions };
}

/**
 * Selects the media type of the response from the request's `Accept` header (RFC 9110 section 12.5.1). If both types have the same quality,
 * the newer type is used. If the caller accepts neither, the response is JSON, because a 406 would hide the result of calls that were
 * performed and charged.
 */
export function responseType(accept = '*/*'): ResponseType {
  const ranges = accept.toLowerCase().split(',').map(readRange);
  const weigh = (type: ResponseType) => ranges.find(({ name }) => name === type)?.quality ?? 0;
  const [newer, older] = [weigh(types[0]), weigh(types[1])];
  return newer > 0 && newer >= older ? types[0] : types[1];
}

function readRange(range: string): { name: string; quality: number } {
  const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const value = quality === undefined ? 1 : Number(quality.slice(2));
  return { name, quality: value >= 0 && value <= 1 ? value : 0 };
}
