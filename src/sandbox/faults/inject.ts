import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem, rateLimited } from '../http/problem.ts';
import type { SandboxResponse } from '../http/response.ts';
import type { InjectedFault } from './fault.ts';

/** Waits for `ms` milliseconds, or until the connection closes. */
export function waitWhileOpen(ms: number, request: IncomingMessage): Promise<void> {
  const { socket } = request;
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      socket.off('close', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    socket.once('close', end);
  });
}

/** Sends the faulty response, or none. `answer` is the response of the operation, if the operation ran. */
export function sendFault(
  fault: InjectedFault,
  request: IncomingMessage,
  response: ServerResponse,
  problemAnswer: (problem: Problem) => SandboxResponse,
  answer?: SandboxResponse,
): void {
  switch (fault.kind) {
    case 'reset':
    case 'reset_after':
      request.socket.resetAndDestroy();
      return;
    case 'hang':
    case 'hang_after':
      // Keep reading, because otherwise the server does not notice when the client closes the connection.
      request.resume();
      return;
    case 'truncated':
      truncate(answer ?? { status: 200, body: '{}' }, request, response);
      return;
    case 'nonsense':
      write(response, 200, '<!doctype html><title>Over capacity</title><h1>Something is technically wrong.</h1>', {
        'content-type': 'text/html; charset=utf-8',
      });
      return;
    case 'wrong_shape':
      write(response, 200, JSON.stringify({ result: { rows: 'many', ok: 'perhaps' } }), jsonType);
      return;
    case 'redirect':
      write(response, 302, '', { location: fault.location });
      return;
    case 'rate_limit':
      sendProblem(response, problemAnswer(rateLimited(fault.retry_after)));
      return;
    case 'status':
      sendProblem(response, problemAnswer(statusProblem(fault)));
      return;
    case 'latency':
      return;
  }
}

const jsonType = { 'content-type': 'application/json; charset=utf-8' };

function statusProblem(fault: Extract<InjectedFault, { kind: 'status' }>): Problem {
  const retry = fault.retry_after;
  return new Problem(
    fault.status,
    fault.code ?? defaultCode(fault.status),
    fault.message ?? `The sandbox was told to answer ${fault.status}`,
    retry === undefined ? {} : { retry_after: retry },
    retry === undefined ? {} : { 'retry-after': String(retry) },
  );
}

function defaultCode(status: number): string {
  const codes: Record<number, string> = { 401: 'bad_token', 403: 'forbidden', 404: 'not_found', 429: 'rate_limited' };
  return codes[status] ?? (status >= 500 ? 'internal' : 'bad_request');
}

function sendProblem(response: ServerResponse, answer: SandboxResponse): void {
  // Responses with 204 and 304 have no body.
  const body = answer.status === 204 || answer.status === 304 ? '' : answer.body;
  write(response, answer.status, body, {
    'content-type': answer.contentType ?? jsonType['content-type'],
    ...answer.headers,
  });
}

/** Sends half of the body with the `content-length` of the whole body, then closes the connection. */
function truncate(answer: SandboxResponse, request: IncomingMessage, response: ServerResponse): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...jsonType, ...answer.headers, 'content-length': body.length });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => request.socket.destroy());
}

function write(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string>,
): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
