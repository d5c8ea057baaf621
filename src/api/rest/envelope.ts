import type { ServerResponse } from 'node:http';
import type { PosternError } from '../../shared/errors/postern-error.ts';
import { errorCodeHeader, errorCodeOf } from '../../shared/errors/table.ts';
import { endResponse } from '../http/end-response.ts';
import { noteError, showRate } from '../http/request-locals.ts';

/** The shape of every JSON response (docs/rest.md, Responses). */
export type Envelope = { status: true; data: unknown; error: null } | { status: false; data: null; error: string };

export function sendData(response: ServerResponse, data: unknown): void {
  sendBody(response, 200, JSON.stringify(envelopeOf(data)));
}

export function sendError(response: ServerResponse, error: PosternError): void {
  if (setErrorHeaders(response, error)) sendBody(response, error.status, errorBody(error.message));
}

/** Sets the status and the headers of a response to `error`. Returns false if it is too late to respond. */
export function setErrorHeaders(response: ServerResponse, error: PosternError): boolean {
  noteError(response, error);
  if (response.headersSent) {
    // Part of the response was already sent, so the connection is closed to show the caller that the response is incomplete.
    response.destroy();
    return false;
  }
  response.statusCode = error.status;
  response.setHeader(errorCodeHeader, error.code);
  // A cache that kept the error of one request would send it to others.
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-store');
  if (error.status === 401) response.setHeader('www-authenticate', 'Bearer');
  if (error.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(error.retryAfterSeconds));
  return true;
}

export function envelopeOf(data: unknown): Envelope {
  return { status: true, data, error: null };
}

export function errorBody(message: string): string {
  return JSON.stringify({ status: false, data: null, error: message } satisfies Envelope);
}

/** Sends the JSON of an Envelope. */
export function sendBody(response: ServerResponse, status: number, body: string | Buffer): void {
  response.statusCode = status;
  showRate(response);
  if (status >= 400 && !response.hasHeader(errorCodeHeader)) response.setHeader(errorCodeHeader, errorCodeOf(status));
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(body));
  endResponse(response, body);
}
