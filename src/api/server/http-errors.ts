import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorRequestHandler, NextFunction, Request, Response } from 'express';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { errorCodeHeader } from '../../shared/errors/table.ts';
import { logFailure } from '../../shared/observability/failures.ts';
import type { Logger } from '../../shared/observability/logger.ts';
import { localsOf } from '../http/request-locals.ts';
import { errorBody, sendError } from '../rest/envelope.ts';
import { newRequestId, type Observers, requestEnded } from './request-context.ts';

export function unknownPath(): never {
  throw new PosternError('unknown_path', 'Unknown path: the endpoints are below /v1, and /docs lists them');
}

/** The last handler of Express. Sends every error as an Envelope and logs unexpected errors with their cause. */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  return (thrown: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const error = isUndecodablePath(thrown)
      ? new PosternError(
          'malformed_request',
          'The path is wrongly encoded: a % must be followed by two hex digits of UTF-8',
        )
      : asPosternError(thrown);
    logFailure(logger, localsOf(response).requestId, error);
    sendError(response, error);
  };
}

/** Returns true for the error that Express' router throws for `%zz` in a path. A `PosternError` has a status too. */
function isUndecodablePath(thrown: unknown): boolean {
  if (thrown instanceof PosternError) return false;
  return thrown instanceof URIError || (thrown instanceof Error && 'status' in thrown && thrown.status === 400);
}

/** Reads the code of an error of Node's HTTP parser. */
function parserFault(code: string | undefined): PosternError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new PosternError('headers_too_large', 'The request line and headers are larger than 16 KiB');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new PosternError('request_timeout', 'The request did not arrive in time');
  }
  return new PosternError('malformed_request', 'The request is not valid HTTP');
}

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Headers that may have only one value. Node uses the first of several, or joins them with commas. */
const singleHeaders = [
  'authorization',
  'content-type',
  'idempotency-key',
  'last-event-id',
  'x-auth-token',
  'x-cost-only',
  'x-encryption-code',
  'x-proxy',
];

/**
 * Throws `bad_input` for a request without exactly one `Host` (RFC 9112 section 3.2; Node would refuse it without an Envelope,
 * so the server leaves it to this check), and for one that repeats a header that can only have one value: a proxy in front
 * of this service may have read another one of them.
 */
export function refuseAmbiguousHeaders(request: IncomingMessage): void {
  const headers = request.headersDistinct;
  if (request.httpVersion === '1.1' && headers['host']?.length !== 1) {
    throw new PosternError('malformed_request', 'The request needs one Host header');
  }
  for (const name of singleHeaders) {
    const count = headers[name]?.length ?? 0;
    if (count > 1)
      throw new PosternError('malformed_header', `Malformed header: ${name}: given ${count} times, send it once`);
  }
}

/** Sends an Envelope to a client whose bytes never became a request. Node passes only the socket. */
export function answerUnreadableRequests(server: Server, observers: Observers): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const { code, reason, status, message } = parserFault(error.code);
    const requestId = newRequestId(observers.runtime);
    requestEnded({ method: undefined, status, ms: 0, replayed: false }, { requestId, error: reason }, observers);
    const body = errorBody(message);
    socket.end(
      `HTTP/1.1 ${status} ${reasons[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `${errorCodeHeader}: ${code}\r\nx-request-id: ${requestId}\r\nx-content-type-options: nosniff\r\ncache-control: no-store\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => socket.destroy());
}
