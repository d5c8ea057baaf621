import type { Request, Response } from 'express';
import type { Action } from '../../actions/action.ts';
import type { ActionPipeline, Caller } from '../../actions/pipeline/action-pipeline.ts';
import { showKept, showPayment } from '../http/credits.ts';
import { readIdempotencyKey, requestContent } from '../http/idempotency-key.ts';
import { localsOf } from '../http/request-locals.ts';
import { readAuthToken, readEncryptionCode, readProxyText } from './credentials.ts';
import { dataBody, errorBody, sendBody } from './envelope.ts';
import { inputReader, type RawInput } from './read-input.ts';

export type RestHandler = (request: Request, response: Response) => Promise<void>;

/** Performs one action for one request: input, expensive checks, payment, response. */
export function actionRoute(action: Action, pipeline: ActionPipeline): RestHandler {
  const readInput = inputReader(action);
  return async (request: Request, response: Response) => {
    const { account = '' } = localsOf(response);
    const input = readInput(request);
    const caller: Caller = {
      account,
      authToken: readAuthToken(request, input),
      proxy: action.actor || action.keepsActor ? readProxyText(request, input) : null,
      encryptionCode: action.code === 'none' ? null : readEncryptionCode(request, input),
      signal: hangUpSignal(response),
    };
    const call = pipeline.prepare(action, input, caller);
    // If the account cannot pay, the ledger refuses the call below, before the expensive check.
    if (call.unchecked > 0 && (await pipeline.covers(account, action.price))) await call.check();
    const key = action.method === 'POST' ? readIdempotencyKey(request) : null;
    const paid = await pipeline.payFor({
      account,
      quote: action.price,
      idempotency: key === null ? null : { key, content: contentOf(request, action, input, caller) },
      perform: async (session) => dataBody(await session.run(call)),
      bodyOf: (body) => body,
      errorBodyOf: ({ message }) => errorBody(message),
    });
    if (paid.kind === 'kept') {
      showKept(response, paid.answer);
      return sendBody(response, paid.answer.status, paid.answer.body);
    }
    showPayment(response, paid);
    sendBody(response, 200, paid.outcome);
  };
}

function contentOf(request: Request, action: Action, input: RawInput, { authToken, proxy }: Caller): string {
  const { auth_token: _token, proxy: _proxy, encryption_code: code, ...rest } = input;
  return requestContent(action.name, rest, [
    authToken?.expose() ?? null,
    proxy?.expose() ?? null,
    code ?? request.headers['x-encryption-code'] ?? null,
  ]);
}

/** Returns a signal that aborts when the connection closes before the response was written. */
function hangUpSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  if (response.closed) controller.abort();
  return controller.signal;
}
