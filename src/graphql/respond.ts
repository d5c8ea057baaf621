import type { ServerResponse } from 'node:http';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { type ErrorCode, errorCodeHeader, errorCodeOf } from '../errors/table.ts';
import type { ResponseType } from './accept.ts';

/** What an error wants of the response; callers do not see it. */
export interface HttpExtension {
  status?: number;
  headers?: Record<string, string>;
  /** The code of the error table. If it is left out, it follows from the status. */
  code?: ErrorCode;
  /** True where GraphQL over HTTP wants 200 for who accepts nothing newer than `application/json`. */
  spec?: boolean;
}

/** Writes a result. Where it has data the status is 200; else that of its worst error. */
export function respond(response: ServerResponse, result: ExecutionResult, type: ResponseType): void {
  const body = JSON.stringify(result.errors ? { ...result, errors: result.errors.map(withoutHttp) } : result);
  response.statusCode = 200;
  for (const { extensions } of result.errors ?? []) {
    const { status = 200, headers = {}, code, spec = false } = (extensions['http'] ?? {}) as HttpExtension;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if ((spec && type === 'application/json') || status <= response.statusCode) continue;
    response.statusCode = status;
    response.setHeader(errorCodeHeader, code ?? errorCodeOf(status));
  }
  response.setHeader('content-type', `${type}; charset=utf-8`);
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}

function withoutHttp({ message, locations, path, extensions: { http: _http, ...extensions } }: GraphQLError) {
  return { message, locations, path, extensions };
}
