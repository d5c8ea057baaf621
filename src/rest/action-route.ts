import type { Request, RequestHandler, Response } from 'express';
import type { Action } from '../core/action.ts';
import type { Core } from '../core/core.ts';
import { PosternError } from '../errors/postern-error.ts';
import { formatDollars } from '../model/money.ts';
import { readAuthToken, readProxyText } from './credentials.ts';
import { sendData } from './envelope.ts';
import { inputReader } from './read-input.ts';

/** What the middleware before an action's route has found out. */
export interface RestLocals {
  account: string;
}

/** Performs one action for one request: input → tab → answer. */
export function actionRoute(action: Action, core: Core): RequestHandler {
  const readInput = inputReader(action);
  return async (request: Request, response: Response) => {
    const { account } = response.locals as RestLocals;
    const input = readInput(request);
    refuseWhatIsNotBuilt(request, action);
    const caller = {
      account,
      authToken: readAuthToken(request, input),
      proxy: action.actor ? readProxyText(request, input) : null,
      signal: hangUpSignal(response),
    };
    const call = core.prepare(action, input, caller);
    const tab = await core.openTab(account, action.price);
    let data: unknown;
    try {
      data = await tab.run(call);
    } catch (error) {
      await tab.close();
      throw error;
    }
    const settled = await tab.close();
    if (settled) {
      response.setHeader('x-credits-charged', formatDollars(settled.charged));
      response.setHeader('x-credits-remaining', formatDollars(settled.remaining));
    }
    sendData(response, data);
  };
}

/** An idempotency key that was dropped in silence would break a promise that the caller relies on. */
function refuseWhatIsNotBuilt(request: Request, action: Action): void {
  if (action.actor && action.method !== 'GET' && request.headers['idempotency-key'] !== undefined) {
    throw new PosternError('not_supported', 'Not supported yet: Idempotency-Key');
  }
}

/** Aborts when the connection closes before the answer is out. */
function hangUpSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
