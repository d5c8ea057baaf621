import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { dropNulls, mcpServer } from '../../mcp/server.ts';
import { isPolicy, type Policy, policies } from '../../mcp/tools.ts';
import { malformedField } from '../../shared/errors/fields.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { logFailure } from '../../shared/observability/failures.ts';
import { authenticate } from '../http/api-key.ts';
import { readJsonBody } from '../http/json-body.ts';
import { mediaRanges } from '../http/media-ranges.ts';
import { parseQuery, type RequestTarget, refuseCredentialsInQuery } from '../http/request.ts';
import { applyRate, handle, localsOf, showRate } from '../http/request-locals.ts';
import { sendError } from '../rest/envelope.ts';
import { unknownParameter } from '../rest/unknown-parameters.ts';
import { PipelineBackend, type PipelineBackendParts } from './pipeline-backend.ts';

export type McpListener = (request: IncomingMessage, response: ServerResponse, target: RequestTarget) => void;

/** A message names media by its address, so it is small. */
const bodyLimitBytes = 1024 * 1024;

/**
 * Creates the handler of `/mcp`: streamable HTTP without sessions. Each request is one message and is checked like a request of REST
 * (docs/rest.md, Errors): key, limits, body. Failures of these checks are HTTP errors with the Envelope; failures of a tool are its result.
 */
export function mcpHandler(parts: PipelineBackendParts): McpListener {
  const respond: (...of: Parameters<McpListener>) => Promise<void> = async (request, response, { query }) => {
    const locals = localsOf(response);
    Object.assign(locals, { action: 'mcp', transport: 'mcp' });
    let leave = () => {};
    let backend: PipelineBackend | undefined;
    try {
      response.setHeader('cache-control', 'no-store');
      requirePost(request, response);
      const key = await authenticate(request, parts);
      Object.assign(locals, { key, account: key.account });
      const admitted = parts.limits.admit(key);
      leave = admitted.leave;
      applyRate(admitted.rate, response);
      const policy = readPolicy(query);
      const format = formatOf(request.headers.accept);
      if (format === null) return await sendWebResponse(response, notAcceptable());
      parts.bodies.hold(request, response, key.account, bodyLimitBytes);
      const message = await readMessage(request);
      const hungUp = new AbortController();
      response.once('close', () => hungUp.abort());
      if (response.closed) hungUp.abort();
      backend = new PipelineBackend(parts, { request, response, key });
      const serverParts = { backend, policy, policyOption, runtime: parts.runtime };
      // There are no notifications to subscribe to.
      let failure: Error | undefined;
      const onerror = (error: Error) => {
        failure = error;
      };
      const { fetch } = createMcpHandler(() => mcpServer(serverParts), { maxSubscriptions: 0, onerror });
      const answer = await fetch(webRequestOf(request, hungUp.signal), { parsedBody: message });
      if (answer.status >= 500) throw failure ?? new Error('the protocol handler failed');
      await sendWebResponse(response, await inFormat(format, answer));
    } catch (thrown) {
      const error = asPosternError(thrown);
      logFailure(parts.logger, locals.requestId, error);
      sendError(response, error);
    } finally {
      // A write continues after its client has disconnected.
      await backend?.ended();
      leave();
    }
  };
  return (request, response, target) => void handle(response, () => respond(request, response, target));
}

function requirePost({ method }: IncomingMessage, response: ServerResponse): void {
  if (method === 'POST') return;
  response.setHeader('allow', 'POST');
  throw new PosternError('method_not_allowed', 'Wrong method: /mcp accepts POST, and has no sessions');
}

/** Reads `?policy=write`. Every client can configure an address, but not every client can configure headers. */
function readPolicy(query: string): Policy {
  const { policy = 'read', ...others } = parseQuery(query);
  const names = Object.keys(others);
  refuseCredentialsInQuery(names);
  if (names.length > 0) throw unknownParameter(names.map((name) => ({ path: [name], known: ['policy'] })));
  if (typeof policy === 'string' && isPolicy(policy)) return policy;
  throw malformedField('policy', `must be ${policies.join(', ').replace(/, (?=\w+$)/, ' or ')}`);
}

function policyOption(policy: Policy): string {
  return `?policy=${policy} at the end of the address of /mcp`;
}

/** Batches are refused, so that one request is one call. The protocol has none since its revision of 2025-06-18. */
async function readMessage(request: IncomingMessage): Promise<object> {
  const message = await readJsonBody(request, { limitBytes: bodyLimitBytes, compressed: true });
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw new PosternError('unreadable_body', 'The body must be one JSON-RPC message: batches are not accepted');
  }
  dropNulls(message);
  return message;
}

type Format = 'json' | 'events' | 'any';

const eventStream = 'text/event-stream';

/**
 * Returns the format of the response, or `null` if the client accepts none. A client that does not name event streams gets JSON if it
 * accepts JSON.
 */
function formatOf(accept: string | undefined): Format | null {
  const ranges = mediaRanges(accept || '*/*');
  const any = ranges.get('*/*') ?? 0;
  const json = ranges.get('application/json') ?? ranges.get('application/*') ?? any;
  const events = ranges.get(eventStream) ?? ranges.get('text/*');
  if (json === 0) return (events ?? any) === 0 ? null : 'events';
  return events === undefined || events < json ? 'json' : 'any';
}

function notAcceptable(): Response {
  const message = `Not Acceptable: the response is application/json or ${eventStream}`;
  return Response.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, { status: 406 });
}

/** Converts a response between JSON and an event stream. The last event of a stream is the result of the call. */
async function inFormat(format: Format, answer: Response): Promise<Response> {
  const isStream = answer.headers.get('content-type') === eventStream;
  if (format === 'any' || answer.body === null || isStream === (format === 'events')) return answer;
  const text = await answer.text();
  const body = isStream ? text.slice(text.lastIndexOf('\ndata: ') + 7) : `event: message\ndata: ${text}\n\n`;
  const headers = new Headers(answer.headers);
  headers.set('content-type', isStream ? 'application/json' : eventStream);
  return new Response(body, { status: answer.status, headers });
}

/** Returns the request for the handler of the protocol, without the credentials. The body is passed separately. */
function webRequestOf({ headers }: IncomingMessage, signal: AbortSignal): Request {
  const passed = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'));
  const given = passed.map(([name, value]): [string, string] => [name, String(value)]);
  return new Request('http://postern/mcp', {
    method: 'POST',
    headers: [...given, ['accept', `application/json, ${eventStream}`], ['content-type', 'application/json']],
    signal,
  });
}

/** Sends a response of the web API. Waits until the client has read each part of the body. */
async function sendWebResponse(response: ServerResponse, { status, headers, body }: Response): Promise<void> {
  if (response.closed) return void body?.cancel();
  response.statusCode = status;
  showRate(response);
  // Node's HTTP server chooses `connection`, because it may close the connection after the response.
  headers.delete('connection');
  for (const [name, value] of headers) response.setHeader(name, value);
  for await (const part of body ?? []) {
    if (response.closed) return;
    if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}
