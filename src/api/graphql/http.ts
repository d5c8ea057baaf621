import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { MediaService } from '../../media/media-service.ts';
import type { ReceivedFile } from '../../media/received-file.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { logFailure } from '../../shared/observability/failures.ts';
import { turn } from '../../shared/runtime/turns.ts';
import { type AuthenticationParts, authenticate } from '../http/api-key.ts';
import type { BodyBudget } from '../http/body-budget.ts';
import { type EventStream, sendEventStream, streamOpened } from '../http/event-stream.ts';
import { toJson } from '../http/json-size.ts';
import { applyRate, handle, localsOf, noteError } from '../http/request-locals.ts';
import { publicError } from './errors.ts';
import { readParams } from './read-params.ts';
import type { GraphqlRequest, LiveResults } from './request.ts';
import { respond, tooLarge } from './respond.ts';
import { type GraphqlParts, GraphqlServer } from './server.ts';

export interface GraphqlHttpParts extends GraphqlParts, AuthenticationParts {
  bodies: BodyBudget;
  media: MediaService;
}

/** The listener for `/graphql`. `refuse` responds with a GraphQL error instead of handling the request. */
export type GraphqlListener = RequestListener & {
  refuse: (request: IncomingMessage, response: ServerResponse, error: PosternError) => void;
};

/**
 * Creates the handler of `/graphql`. It makes its checks in the same order as REST (docs/rest.md, Errors): key, rate limit, body, document,
 * idempotency, credit. Whether a key is required depends on the document, because introspection needs no key.
 */
export function graphqlHandler(parts: GraphqlHttpParts): GraphqlListener {
  const server = new GraphqlServer(parts);
  const { media, bodies, limits, logger } = parts;
  const { bytesLimit } = parts.options;
  const answerRequest = async (request: IncomingMessage, response: ServerResponse) => {
    const locals = localsOf(response);
    locals.action = 'graphql';
    response.setHeader('cache-control', 'no-store');
    const state = newState(request, response);
    let leave = () => {};
    const files: ReceivedFile[] = [];
    const discard = () => Promise.all(files.map((file) => file.discard()));
    try {
      requireMethod(request, response);
      if (request.headers.authorization !== undefined) {
        const key = await authenticate(request, parts);
        Object.assign(locals, { key, account: key.account });
        state.key = key;
        const admitted = limits.admit(key);
        leave = admitted.leave;
        response.once(streamOpened, leave);
        applyRate(admitted.rate, response);
        state.rate = admitted.rate;
      }
      const params = await readParams(request, response, { media, bodies, files, account: state.key?.account ?? null });
      // Yields to other requests, because parsing, validating and executing a document can take milliseconds.
      await turn();
      const result = await server.answer(params, state);
      if (!('results' in result)) respond(result, state, bytesLimit);
      else {
        // The stream may stay open for days, so uploaded files are deleted now. No subscription accepts files.
        discard().catch(() => {});
        const checkKey = () => authenticate(request, parts);
        await sendEventStream(response, liveStream(result, bytesLimit, checkKey));
      }
    } catch (thrown) {
      const error = asPosternError(thrown);
      if (response.headersSent) {
        noteError(response, error);
        logFailure(logger, locals.requestId, error);
        response.destroy();
      } else respond(await server.refuse(error, state), state, bytesLimit);
    } finally {
      leave();
      if (files.length > 0) await discard();
    }
  };
  const listener: RequestListener = (request, response) =>
    void handle(response, () => answerRequest(request, response));
  const refuse: GraphqlListener['refuse'] = async (request, response, error) => {
    const state = newState(request, response);
    respond(await server.refuse(error, state), state, bytesLimit);
  };
  return Object.assign(listener, { refuse });
}

function newState(request: IncomingMessage, response: ServerResponse): GraphqlRequest {
  const locals = localsOf(response);
  const state: GraphqlRequest = {
    request,
    response,
    key: null,
    rate: null,
    requestId: locals.requestId,
    operationType: undefined,
    operationName: undefined,
    quoted: 0,
    calls: 0,
    charges: [],
    errors: 0,
    settled: null,
    isInvalid: false,
  };
  locals.graphql = state;
  return state;
}

function requireMethod({ method }: IncomingMessage, response: ServerResponse): void {
  if (method === 'GET' || method === 'POST') return;
  response.setHeader('allow', 'GET, POST');
  throw new PosternError('method_not_allowed', 'Wrong method: GraphQL accepts GET (queries only) and POST');
}

/**
 * Implements GraphQL over Server-Sent Events, distinct connections mode (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md).
 */
function liveStream({ results, end }: LiveResults, bytesLimit: number, checkKey: () => Promise<unknown>): EventStream {
  return {
    frames: framesOf(results, bytesLimit),
    end,
    checkKey,
    frameOf: (reason) => nextFrame(JSON.stringify({ errors: [{ message: reason }] })) + lastFrame,
  };
}

const lastFrame = 'event: complete\ndata:\n\n';

function nextFrame(json: string): string {
  return `event: next\ndata: ${json}\n\n`;
}

async function* framesOf(results: AsyncIterable<ExecutionResult>, bytesLimit: number): AsyncGenerator<string> {
  for await (const result of results) {
    const json = toJson(result, bytesLimit);
    yield nextFrame(json ?? JSON.stringify({ errors: [publicError(tooLarge(bytesLimit))] }));
  }
  yield lastFrame;
}
