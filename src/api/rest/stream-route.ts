import type { ServerResponse } from 'node:http';
import type { Action } from '../../actions/action.ts';
import type { ActionPipeline, PreparedCall } from '../../actions/pipeline/action-pipeline.ts';
import type { KeyLimits } from '../../billing/key-limits.ts';
import type { StreamGrant } from '../../billing/stream-tokens.ts';
import { malformedField } from '../../shared/errors/fields.ts';
import type { LiveStream, StreamItem } from '../../shared/model/event.ts';
import { Cancellation } from '../../shared/runtime/cancellation.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { type AuthenticationParts, authenticate } from '../http/api-key.ts';
import { showPayment } from '../http/credits.ts';
import { sendEventStream } from '../http/event-stream.ts';
import { credentialHeaders } from '../http/request.ts';
import { localsOf } from '../http/request-locals.ts';
import { streamGrantOf } from '../http/stream-grant.ts';
import type { RestHandler } from './action-route.ts';
import { readCredentials } from './credentials.ts';
import { errorBody } from './envelope.ts';
import { inputReader, type RawInput, type RestRequest } from './read-input.ts';
import { checkUnknown } from './unknown-parameters.ts';

/** Returns the handler of an action that opens a stream. The call is charged when the stream opens. */
export function streamRoute(
  action: Action,
  parts: AuthenticationParts & { pipeline: ActionPipeline; limits: KeyLimits },
): RestHandler {
  const { pipeline, limits } = parts;
  const readInput = inputReader(action);
  return async (request, response) => {
    const { account = '', key = null } = localsOf(response);
    const after = request.message.headers['last-event-id'];
    const { input, unknown } = readInput(request);
    if (typeof after === 'string' && after !== '') input['last_event_id'] = after;
    const grant = streamGrantOf(request.message, parts);
    if (grant) restrictToGrant(input, request, grant);
    const credentials = grant
      ? {
          authToken: new Secret(grant.authToken),
          proxy: grant.proxy === null ? null : new Secret(grant.proxy),
          encryptionCode: grant.encryptionCode === null ? null : new Secret(grant.encryptionCode),
        }
      : readCredentials(action, request, input);
    const caller = { account, key, ...credentials, signal: new Cancellation(), spending: localsOf(response) };
    const prepare = () => pipeline.prepare(action, input, caller);
    checkUnknown(unknown, request, response, prepare);
    const call = prepare();
    const giveBack = limits.openStream(key?.id ?? '');
    let stream: LiveStream | null = null;
    try {
      stream = await open(call, response);
      await sendEventStream(response, {
        frames: framesOf(stream),
        end: () => stream?.end(),
        checkKey: () => authenticate(request.message, parts),
        frameOf: (reason) => `event: error\ndata: ${JSON.stringify({ reason })}\n\n`,
      });
    } finally {
      stream?.end();
      giveBack();
    }
  };

  async function open(call: PreparedCall, response: ServerResponse): Promise<LiveStream> {
    const paid = await pipeline.payFor({
      account: localsOf(response).account ?? '',
      budget: localsOf(response).key?.budget ?? null,
      idempotency: null,
      call,
      outcomeOf: (output) => output as LiveStream,
      bodyOf: () => '',
      errorBodyOf: ({ message }) => errorBody(message),
      discard: (stream) => stream.end(),
    });
    showPayment(response, paid);
    return paid.outcome;
  }
}

/**
 * Sets the filter of a token. Refuses another filter, and credentials of the actor. Credentials are refused even if they are those of the
 * token, because a comparison would let a holder of the token guess the encryption code.
 */
function restrictToGrant(input: RawInput, { message }: RestRequest, { types }: StreamGrant): void {
  for (const [field, header] of Object.entries(credentialHeaders)) {
    if (input[field] === undefined && message.headers[header] === undefined) continue;
    throw malformedField(field, 'is part of the token, so leave it out');
  }
  const { types: given } = input;
  if (given !== undefined && sorted(String(given).split(',')) !== sorted(types ?? [])) {
    throw malformedField('types', 'differs from the types of the token: leave it out, or request another token');
  }
  if (types) input['types'] = types.join();
}

const sorted = (types: readonly string[]) => [...types].sort().join();

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
