import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { KeyHolder, KeyRing } from '../billing/key-ring.ts';
import type { RateState } from '../billing/rate-limiter.ts';
import { asPosternError, PosternError } from '../errors/postern-error.ts';
import { readApiKey } from '../headers/api-key.ts';
import { countCall } from '../headers/rate-limit.ts';
import { logFailure } from '../observe/failures.ts';
import { type ResponseType, responseType } from './accept.ts';
import { withBill } from './bill.ts';
import { refusal } from './errors.ts';
import { readParams } from './read-params.ts';
import type { GraphqlRequest } from './request.ts';
import { type GraphqlParts, graphqlServer } from './server.ts';

export interface GraphqlHttpParts extends GraphqlParts {
  keys: KeyRing;
}

interface Locals {
  requestId: string;
  action?: string;
  account?: string;
}

/**
 * `/graphql`. The order of refusals is REST's (DECISIONS.md): key, rate, body, document, idempotency, credit. Whether a
 * key is needed is known with the document: introspection asks for none.
 */
export function graphqlHandler(parts: GraphqlHttpParts): RequestListener {
  const server = graphqlServer(parts);
  return async (request, response) => {
    const locals = (response as ServerResponse & { locals: Locals }).locals;
    locals.action = 'graphql';
    response.setHeader('cache-control', 'no-store');
    const accept = responseType(request.headers.accept);
    let key: KeyHolder | null = null;
    let rate: RateState | null = null;
    const state = (): GraphqlRequest => ({
      ...{ request, response, key, rate, requestId: locals.requestId },
      ...{ quoted: 0, charges: [], settled: null },
    });
    try {
      requireMethod(request, response);
      if (request.headers.authorization !== undefined) {
        key = await parts.keys.authenticate(readApiKey(request));
        locals.account = key.account;
        rate = countCall(parts.limiter, key, response);
      }
      const params = await readParams(request);
      await send(await server({ method: request.method, accept, params, state: state() }, response), response);
    } catch (thrown) {
      const error = asPosternError(thrown);
      logFailure(parts.logger, locals.requestId, error);
      await refuse(response, error, state(), parts, accept);
    }
  };
}

function requireMethod({ method }: IncomingMessage, response: ServerResponse): void {
  if (method === 'GET' || method === 'POST') return;
  response.setHeader('allow', 'GET, POST');
  throw new PosternError('method_not_allowed', 'Wrong method: GraphQL takes GET (queries only) and POST');
}

async function refuse(
  response: ServerResponse,
  error: PosternError,
  state: GraphqlRequest,
  parts: GraphqlParts,
  accept: ResponseType,
) {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const described = refusal(error);
  const { http, ...extensions } = described.extensions as { http: { headers: Record<string, string> } };
  const result = { errors: [{ message: described.message, extensions }] };
  const body = JSON.stringify(await withBill(result as never, state, parts.accounts, parts.options.costLimit));
  const headers = { ...http.headers, 'content-type': `${accept}; charset=utf-8` };
  await send(new Response(body, { status: error.status, headers }), response);
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  const body = await answer.text();
  response.statusCode = answer.status;
  answer.headers.forEach((value, name) => {
    response.setHeader(name, value);
  });
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}
