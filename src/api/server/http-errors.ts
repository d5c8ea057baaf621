import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorRequestHandler, NextFunction, Request, Response } from 'express';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { errorCodeHeader } from '../../shared/errors/table.ts';
import { logFailure } from '../../shared/observability/failures.ts';
import type { Logger } from '../../shared/observability/logger.ts';
import { credentialHeaders } from '../http/request.ts';
import { localsOf, RequestLocals } from '../http/request-locals.ts';
import { prefersPage, sendErrorPage } from '../pages/error-page.ts';
import { errorBody, sendError } from '../rest/envelope.ts';
import { undecodablePath } from '../rest/routes.ts';
import { newRequestId, type Observers, requestEnded } from './request-context.ts';

/** Creates the last handler of Express. It sends every error to its client and logs unexpected errors with their cause. */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  return (thrown: unknown, request: Request, response: Response, _next: NextFunction) => {
    const error = isUndecodablePath(thrown) ? undecodablePath() : asPosternError(thrown);
    logFailure(logger, localsOf(response).requestId, error);
    sendErrorAsPreferred(request, response, error);
  };
}

/** Sends an error as a page to a browser, and as an Envelope to a program. Errors of REST and GraphQL are never pages. */
export function sendErrorAsPreferred(request: IncomingMessage, response: ServerResponse, error: PosternError): void {
  if (prefersPage(request)) sendErrorPage(response, error).catch(() => sendError(response, error));
  else sendError(response, error);
}

/**
 * Returns true for the error that Express' router throws for an invalid escape such as `%zz` in a path. A `PosternError` has a `status`
 * too, so it is excluded first.
 */
function isUndecodablePath(thrown: unknown): boolean {
  if (thrown instanceof PosternError) return false;
  return thrown instanceof URIError || (thrown instanceof Error && 'status' in thrown && thrown.status === 400);
}

/** Converts an error code of Node's HTTP parser to a `PosternError`. */
function parserError(code: string | undefined): PosternError {
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

/** Request headers of the API. Each must occur at most once. If they are repeated, Node uses the first value or joins the values with commas. */
export const singleHeaders = [
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
 * Refuses a request without exactly one `Host` header (RFC 9112 section 3.2), and a request that repeats a header in `singleHeaders`,
 * because a proxy in front of this service may have used a different value. Node's own `Host` check is disabled, because its response has
 * no Envelope. Throws `bad_input`.
 */
export function refuseAmbiguousHeaders(request: IncomingMessage): void {
  if (hasNoRepeatedHeader(request) && request.headers.host !== undefined) return;
  const headers = request.headersDistinct;
  if (request.httpVersion === '1.1' && headers['host']?.length !== 1) {
    throw new PosternError('malformed_request', 'The request must have exactly one Host header');
  }
  for (const name of singleHeaders) {
    const count = headers[name]?.length ?? 0;
    if (count > 1)
      throw new PosternError('malformed_header', `Malformed header: ${name}: given ${count} times, send it once`);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes credential headers as UTF-8, because clients such as curl send UTF-8 and Node decodes headers as Latin-1.
 * Throws `bad_input` for other encodings, so that a wrongly encoded PIN does not use up a guess.
 */
export function decodeCredentialHeaders({ headers }: IncomingMessage): void {
  for (const name of ['authorization', ...Object.values(credentialHeaders)]) {
    const value = headers[name];
    if (typeof value !== 'string' || !/[^\0-\x7f]/.test(value)) continue;
    try {
      headers[name] = utf8.decode(Buffer.from(value, 'latin1'));
    } catch {
      throw new PosternError('malformed_header', `Malformed header: ${name}: encode it as UTF-8`);
    }
  }
}

/**
 * Refuses a body with a transfer coding other than `chunked` (RFC 9112, section 6.1), because Node would pass it on undecoded. Closes the
 * connection, so that the body is not read.
 */
export function refuseTransferCoding({ headers }: IncomingMessage, response: ServerResponse): void {
  const coding = headers['transfer-encoding'];
  if (coding === undefined || coding.toLowerCase() === 'chunked') return;
  response.setHeader('connection', 'close');
  throw new PosternError('transfer_coding', 'The only supported transfer coding is chunked (Transfer-Encoding)');
}

/** Returns true if no header occurs twice. This check costs less than `headersDistinct`. */
function hasNoRepeatedHeader({ headers, rawHeaders }: IncomingMessage): boolean {
  return Object.keys(headers).length * 2 === rawHeaders.length;
}

/**
 * Sends an Envelope for bytes that are not a valid HTTP request. Node has no response object for them, so the Envelope is written to the
 * socket. If an earlier request of the connection still waits for its response (`isAnswering`), the connection is closed without an Envelope,
 * because the client would read the Envelope as the response to the earlier request.
 */
export function answerUnreadableRequests(
  server: Server,
  { isAnswering, ...observers }: Observers & { isAnswering: (socket: Duplex) => boolean },
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const { code, reason, status, message } = parserError(error.code);
    const requestId = newRequestId(observers.runtime);
    const locals = Object.assign(new RequestLocals(), { requestId, error: reason });
    requestEnded({ method: undefined, status, ms: 0, replayed: false }, locals, observers);
    const body = errorBody(message);
    socket.end(
      `HTTP/1.1 ${status} ${reasons[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `${errorCodeHeader}: ${code}\r\nx-request-id: ${requestId}\r\nx-content-type-options: nosniff\r\ncache-control: no-store\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => socket.destroy());
}
