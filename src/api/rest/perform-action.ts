import type { Action } from '../../actions/action.ts';
import type { ActionPipeline, Caller } from '../../actions/pipeline/action-pipeline.ts';
import type { PaidResult } from '../../actions/pipeline/paid-request.ts';
import { dataBody, errorBody } from './envelope.ts';
import type { RawInput } from './read-input.ts';

/** One call of an action. */
export interface ActionCall {
  action: Action;
  input: RawInput;
  caller: Caller;
  /** Returns the Idempotency-Key, and a text that identifies the content of the call (`requestContent`). Called after the input was checked. */
  idempotency: () => { key: string; content: string } | null;
}

/** Validates the input, runs expensive checks, performs the action and collects the payment. Returns the body of the response, an Envelope. */
export async function performAction(
  pipeline: ActionPipeline,
  { action, input, caller, idempotency }: ActionCall,
): Promise<PaidResult<ResponseBody>> {
  const { account, key } = caller;
  const isRead = action.effect === 'read';
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
      const body = new ResponseBody(await session.run(call));
      if (!isRead) body.encode();
      return body;
    },
    bodyOf: (body) => body.encode(),
    ...(isRead && { whileCharging: (body) => body.encode() }),
    errorBodyOf: ({ message }) => errorBody(message),
  });
}

/** The body of a response, which is encoded when it is first needed. */
class ResponseBody {
  #output: unknown;
  #bytes: Buffer | null = null;

  constructor(output: unknown) {
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
}
