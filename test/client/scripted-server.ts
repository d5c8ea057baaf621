import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { Postern, type PosternError } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/transport.ts';
import { originOf } from '../support/listen.ts';

interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A response of the script: a status with headers and data, or a function that writes the response. */
export type Scripted =
  | { status: number; headers?: Record<string, string>; data?: unknown; error?: string }
  | ((response: ServerResponse) => void);

export const success: Scripted = { status: 200, data: { id: '1' } };
export const breaks: Scripted = (response) => response.destroy();

/** Returns the error of a call, or `null` if it succeeds. */
export const errorOf = (call: PromiseLike<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error as PosternError,
  );

/**
 * Starts a server on loopback that sends the responses one after the other, and repeats the last one. It is stopped after the test.
 * `postern` is a client of it with these options.
 */
export async function scriptedServer(script: readonly Scripted[], options: Partial<ClientOptions> = {}) {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const next = script[Math.min(requests.length, script.length - 1)] ?? success;
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    if (typeof next === 'function') return next(response);
    const { status, headers = {}, data = null, error = null } = next;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ status: status < 400, data, error }));
  });
  const baseUrl = `${await originOf(server)}/v1`;
  return { requests, baseUrl, postern: new Postern({ baseUrl, apiKey: 'key', authToken: 'token', ...options }) };
}
