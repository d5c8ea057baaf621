import type { ServerResponse } from 'node:http';
import type { Action } from '../../actions/action.ts';
import type { ActionPipeline, Caller } from '../../actions/pipeline/action-pipeline.ts';
import { Cancellation, type CancelSignal } from '../../shared/runtime/cancellation.ts';
import { showKept, showPayment } from '../http/credits.ts';
import { readIdempotencyKey, requestContent } from '../http/idempotency-key.ts';
import { afterClose, localsOf } from '../http/request-locals.ts';
import { readCredentials } from './credentials.ts';
import { sendBody } from './envelope.ts';
import { inputReader, type RawInput, type RestRequest } from './read-input.ts';
import { envelopeForm } from './response-body.ts';
import { checkUnknown } from './unknown-parameters.ts';

export type RestHandler = (request: RestRequest, response: ServerResponse) => Promise<void>;

/** Returns the HTTP handler of an action: it reads the input and the credentials, performs the action and sends the response. */
export function actionRoute(action: Action, pipeline: ActionPipeline): RestHandler {
  const readInput = inputReader(action);
  const form = envelopeForm(action);
  return async (request, response) => {
    const { account = '', key: apiKey = null } = localsOf(response);
    const { input, unknown } = readInput(request);
    const caller: Caller = {
      account,
      key: apiKey,
      ...readCredentials(action, request, input),
      signal: hangUpSignal(response),
      spending: localsOf(response),
    };
    checkUnknown(unknown, request, response, () => pipeline.prepare(action, input, caller));
    const idempotency = () => {
      const key = action.method === 'POST' ? readIdempotencyKey(request.message) : null;
      return key === null ? null : { key, content: contentOf(request, action, input, caller) };
    };
    const paid = await pipeline.perform({ action, input, caller, idempotency, ...form });
    if (paid.kind === 'kept') {
      showKept(response, paid.answer);
      return sendBody(response, paid.answer.status, paid.answer.body);
    }
    showPayment(response, paid);
    sendBody(response, 200, paid.outcome.encode());
  };
}

function contentOf(request: RestRequest, action: Action, input: RawInput, { authToken, proxy }: Caller): string {
  const { auth_token: _token, proxy: _proxy, encryption_code: code, ...rest } = input;
  return requestContent(action.name, rest, [
    authToken?.expose() ?? null,
    proxy?.expose() ?? null,
    code ?? request.message.headers['x-encryption-code'] ?? null,
  ]);
}

/** Returns a signal that aborts if the connection closes before the response is sent. */
function hangUpSignal(response: ServerResponse): CancelSignal {
  const cancellation = new Cancellation();
  afterClose(response, () => {
    if (!response.writableFinished) cancellation.abort();
  });
  if (response.closed) cancellation.abort();
  return cancellation;
}
