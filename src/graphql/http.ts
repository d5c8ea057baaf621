import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { KeyHolder, KeyRing } from '../billing/key-ring.ts';
import type { RateState } from '../billing/rate-limiter.ts';
import { asPosternError, type PosternError } from '../errors/postern-error.ts';
import { readApiKey } from '../headers/api-key.ts';
import { countCall } from '../headers/rate-limit.ts';
import { logFailure } from '../observe/failures.ts';
import { withBill } from './bill.ts';
import { refusal } from './errors.ts';
import { readJsonBody } from './read-body.ts';
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
export function graphqlHandler(path: string, parts: GraphqlHttpParts): RequestListener {
  const server = graphqlServer(path, parts);
  return async (request, response) => {
    const locals = (response as ServerResponse & { locals: Locals }).locals;
    locals.action = 'graphql';
    response.setHeader('cache-control', 'no-store');
    let key: KeyHolder | null = null;
    let rate: RateState | null = null;
    const state = (): GraphqlRequest => ({
      ...{ request, response, key, rate, requestId: locals.requestId },
      ...{ quoted: 0, charges: [], settled: null },
    });
    try {
      if (request.headers.authorization !== undefined) {
        key = await parts.keys.authenticate(readApiKey(request));
        locals.account = key.account;
        rate = countCall(parts.limiter, key, response);
      }
      if (request.method === 'POST') Object.assign(request, { body: await readJsonBody(request) });
      await server(request, response, { state: state() });
    } catch (thrown) {
      const error = asPosternError(thrown);
      logFailure(parts.logger, locals.requestId, error);
      await refuse(request, response, error, state(), parts);
    }
  };
}

async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  error: PosternError,
  state: GraphqlRequest,
  parts: GraphqlParts,
) {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const described = refusal(error);
  const { headers } = described.extensions['http'] as { headers: Record<string, string> };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const { http: _http, ...extensions } = described.extensions;
  const result = { errors: [{ message: described.message, extensions }] };
  const body = JSON.stringify(await withBill(result as never, state, parts.accounts, parts.options.costLimit));
  const type = request.headers.accept?.includes('application/graphql-response+json') ? 'graphql-response+json' : 'json';
  response.statusCode = error.status;
  response.setHeader('content-type', `application/${type}; charset=utf-8`);
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}
