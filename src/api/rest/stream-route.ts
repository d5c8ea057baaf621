import type { Request, Response } from 'express';
import type { Action } from '../../actions/action.ts';
import type { ActionPipeline, PreparedCall } from '../../actions/pipeline/action-pipeline.ts';
import type { ApiKeyAuthenticator } from '../../billing/api-key-authenticator.ts';
import type { ConcurrencyLimit } from '../../billing/concurrency-limit.ts';
import type { LiveStream, StreamItem } from '../../shared/model/event.ts';
import { readApiKey } from '../http/api-key.ts';
import { showPayment } from '../http/credits.ts';
import { sendEventStream } from '../http/event-stream.ts';
import { localsOf } from '../http/request-locals.ts';
import type { RestHandler } from './action-route.ts';
import { readAuthToken, readEncryptionCode, readProxyText } from './credentials.ts';
import { errorBody } from './envelope.ts';
import { inputReader } from './read-input.ts';

/** Returns the handler of an action that opens a stream. The call is charged when the stream opens. */
export function streamRoute(
  action: Action,
  { pipeline, keys, streams }: { pipeline: ActionPipeline; keys: ApiKeyAuthenticator; streams: ConcurrencyLimit },
): RestHandler {
  const readInput = inputReader(action);
  return async (request: Request, response: Response) => {
    const { account = '', key } = localsOf(response);
    const after = request.headers['last-event-id'];
    const input = { ...readInput(request), ...(typeof after === 'string' && after !== '' && { last_event_id: after }) };
    const caller = {
      account,
      authToken: readAuthToken(request, input),
      proxy: readProxyText(request, input),
      encryptionCode: action.code === 'none' ? null : readEncryptionCode(request, input),
      signal: new AbortController().signal,
    };
    const call = pipeline.prepare(action, input, caller);
    const giveBack = streams.enter(key?.id ?? '');
    let stream: LiveStream | null = null;
    try {
      stream = await open(call, response);
      await sendEventStream(response, {
        frames: framesOf(stream),
        end: () => stream?.end(),
        checkKey: () => keys.authenticate(readApiKey(request)),
        frameOf: (reason) => `event: error\ndata: ${JSON.stringify({ reason })}\n\n`,
      });
    } finally {
      stream?.end();
      giveBack();
    }
  };

  async function open(call: PreparedCall, response: Response): Promise<LiveStream> {
    const paid = await pipeline.payFor({
      account: localsOf(response).account ?? '',
      quote: action.price,
      idempotency: null,
      perform: async (session) => (await session.run(call)) as LiveStream,
      bodyOf: () => '',
      errorBodyOf: ({ message }) => errorBody(message),
      discard: (stream) => stream.end(),
    });
    showPayment(response, paid);
    return paid.outcome;
  }
}

async function* framesOf(stream: LiveStream): AsyncGenerator<string> {
  for await (const item of stream.items) yield frame(item);
}

function frame(item: StreamItem): string {
  if (item.kind === 'gap') {
    const id = item.id === null ? '' : `id: ${item.id}\n`;
    return `${id}event: gap\ndata: ${JSON.stringify({ reason: item.reason })}\n\n`;
  }
  return `id: ${item.id}\nevent: ${item.type}\ndata: ${item.body}\n\n`;
}
