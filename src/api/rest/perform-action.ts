import type { Action } from '../../actions/action.ts';
import type { ActionPipeline, Caller } from '../../actions/pipeline/action-pipeline.ts';
import type { PaidResult } from '../../actions/pipeline/paid-request.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { isSmall, toJson } from '../http/json-slices.ts';
import { dataBody, envelopeOf, errorBody } from './envelope.ts';
import type { RawInput } from './read-input.ts';

/** One call of an action. */
export interface ActionCall {
  action: Action;
  input: RawInput;
  caller: Caller;
  /** Returns the Idempotency-Key, and a text that identifies the content of the call (`requestContent`). Called after the input was checked. */
  idempotency: () => { key: string; content: string } | null;
  /** True if the caller of this function uses the output of the action, and not the body. */
  takesOutput?: boolean;
}

/** The maximum size of a response body in bytes. */
const maxResponseBytes = 16 * 1024 * 1024;
/** The JSON of an output of this size has at most 5 MB: 6 bytes for each character, and 32 more for each value. */
const smallOutput = { characters: 500_000, values: 50_000 };

/** Validates the input, runs expensive checks, performs the action and collects the payment. Returns the body of the response, an Envelope. */
export async function performAction(
  pipeline: ActionPipeline,
  { action, input, caller, idempotency, takesOutput = false }: ActionCall,
): Promise<PaidResult<ResponseBody>> {
  const { account, key } = caller;
  const isRead = action.effect === 'read';
  const isEncoded = !(isRead && takesOutput);
  const call = pipeline.prepare(action, input, caller);
  // The expensive check is skipped if the account cannot pay, because the ledger then refuses the call below.
  if (call.unchecked > 0 && (await pipeline.covers(account, action.price))) await call.check();
  return pipeline.payFor({
    account,
    budget: key?.budget ?? null,
    quote: action.price,
    isRead,
    idempotency: idempotency(),
    perform: async (session) => {
      const output = await session.run(call);
      const body = new ResponseBody(output, takesOutput);
      if (!isEncoded) return body;
      // The size must be known before the call is charged.
      if (!isSmall(output, smallOutput)) await body.encodeLarge(isRead);
      else if (!isRead) body.encode();
      return body;
    },
    bodyOf: (body) => body.encode(),
    ...(isRead && isEncoded && { whileCharging: (body) => body.encode() }),
    errorBodyOf: ({ message }) => errorBody(message),
  });
}

/** The body of a response, which is encoded when it is first needed. */
class ResponseBody {
  /** The output of the action for a caller that takes it, otherwise `null`: it is not needed after it was encoded. */
  readonly output: unknown;
  #output: unknown;
  #bytes: Buffer | null = null;

  constructor(output: unknown, isKept: boolean) {
    this.output = isKept ? output : null;
    this.#output = output;
  }

  /**
   * Encodes the body once. The result is a buffer, because the garbage collector would copy a string while the charge is pending, but does
   * not copy a buffer.
   */
  encode(): Buffer {
    this.#bytes ??= Buffer.from(dataBody(this.#output));
    this.#output = null;
    return this.#bytes;
  }

  /** Encodes a large body in slices. Throws `response_too_large` as soon as it is too long. */
  async encodeLarge(isRead: boolean): Promise<void> {
    const json = await toJson(envelopeOf(this.#output), maxResponseBytes);
    this.#output = null;
    if (json === null) throw tooLarge(isRead);
    this.#bytes = typeof json === 'string' ? Buffer.from(json) : json;
  }
}

function tooLarge(isRead: boolean): PosternError {
  const advice = isRead ? 'Request fewer items (count)' : 'The call was performed';
  return new PosternError(
    'response_too_large',
    `The platform sent too much: the response has more than ${maxResponseBytes} bytes. ${advice}`,
  );
}
