import type { Request, Response } from 'express';
import type { Action } from '../../actions/action.ts';
import type { Caller, Core } from '../../actions/pipeline/core.ts';
import type { IdempotencyClaim } from '../../billing/idempotency-claim.ts';
import { asPosternError } from '../../shared/errors/postern-error.ts';
import { showCredits } from '../http/credits.ts';
import { readIdempotencyKey, requestContent } from '../http/idempotency-key.ts';
import { localsOf, noteError } from '../http/request-locals.ts';
import { readAuthToken, readEncryptionCode, readProxyText } from './credentials.ts';
import { dataBody, errorBody, sendBody } from './envelope.ts';
import { inputReader, type RawInput } from './read-input.ts';

export type RestHandler = (request: Request, response: Response) => Promise<void>;

/** Performs one action for one request: input → expensive checks → idempotency → tab → answer. */
export function actionRoute(action: Action, core: Core): RestHandler {
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
    const call = core.prepare(action, input, caller);
    // An account that cannot pay is refused below, by the ledger, before anything expensive is done.
    if (call.unchecked > 0 && (await core.covers(account, action.price))) await call.check();
    const key = action.method === 'POST' ? readIdempotencyKey(request) : null;
    let claim: IdempotencyClaim | null = null;
    if (key !== null) {
      const begun = await core.claim({ account, key, content: contentOf(request, action, input, caller) });
      if ('body' in begun) {
        response.setHeader('idempotent-replayed', 'true');
        if (begun.reason) noteError(response, { reason: begun.reason, status: begun.status });
        return sendBody(response, begun.status, begun.body);
      }
      claim = begun;
    }
    const tab = await core.openTab(account, action.price, claim);
    let body: string;
    try {
      body = dataBody(await tab.run(call));
    } catch (thrown) {
      const error = asPosternError(thrown);
      await tab.refuse(error, errorBody(error.message));
      throw error;
    }
    const settled = await tab.close(200, body);
    if (settled) showCredits(response, settled);
    else if (claim && action.price > 0) response.setHeader('idempotent-replayed', 'true');
    sendBody(response, 200, body);
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

/** Aborts when the connection closes before the answer is out. */
function hangUpSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  if (response.closed) controller.abort();
  return controller.signal;
}
