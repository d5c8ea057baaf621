import type { ServerResponse } from 'node:http';
import type { PosternError } from '../errors/postern-error.ts';

/** The one shape of every JSON answer (SPEC.md, Envelope). */
export type Envelope = { status: true; data: unknown; error: null } | { status: false; data: null; error: string };

export function sendData(response: ServerResponse, data: unknown): void {
  send(response, 200, { status: true, data, error: null });
}

export function sendError(response: ServerResponse, error: PosternError): void {
  if (response.headersSent) {
    // Half an answer cannot become another one; a broken connection at least tells the caller so.
    response.destroy();
    return;
  }
  if (error.status === 401) response.setHeader('www-authenticate', 'Bearer');
  if (error.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(error.retryAfterSeconds));
  send(response, error.status, errorEnvelope(error.message));
}

export function errorEnvelope(message: string): Envelope {
  return { status: false, data: null, error: message };
}

function send(response: ServerResponse, status: number, envelope: Envelope): void {
  const body = JSON.stringify(envelope);
  response.statusCode = status;
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}
