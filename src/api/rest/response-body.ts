import type { Action } from '../../actions/action.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { isWithin, toJson } from '../http/json-size.ts';
import { envelopeOf, errorBody } from './envelope.ts';

/** The maximum size of a response body in bytes. */
const maxResponseBytes = 16 * 1024 * 1024;
/** The JSON of an output of this size has at most 5 MB: 6 bytes for each character, and 32 more for each value. */
const smallOutput = { characters: 500_000, values: 50_000 };

/**
 * Returns the functions of an `ActionRequest` that create the response body, an Envelope. If `takesOutput` is true, the output of a read is
 * used instead of the body, so the body of a read is not encoded.
 */
export function envelopeForm({ effect }: Action, takesOutput = false) {
  const isRead = effect === 'read';
  const isEncoded = !(isRead && takesOutput);
  return {
    outcomeOf: (output: unknown) => {
      const body = new ResponseBody(output, isRead, takesOutput);
      // The size must be known before the call is charged.
      if (isEncoded && !(isRead && isWithin(smallOutput, output))) body.encode();
      return body;
    },
    bodyOf: (body: ResponseBody) => body.encode(),
    ...(isRead && isEncoded && { whileCharging: (body: ResponseBody) => body.encode() }),
    errorBodyOf: ({ message }: PosternError) => errorBody(message),
  };
}

/** A response body that is encoded lazily. */
class ResponseBody {
  /** The output of the action if `takesOutput` is true. Otherwise `null`, so that encoding frees the output. */
  readonly output: unknown;
  readonly #isRead: boolean;
  #output: unknown;
  #bytes: Buffer | null = null;

  constructor(output: unknown, isRead: boolean, isKept: boolean) {
    this.output = isKept ? output : null;
    this.#isRead = isRead;
    this.#output = output;
  }

  /**
   * Encodes the body once. The result is a buffer, because the garbage collector would copy a string while the charge is pending, but does
   * not copy a buffer. Throws `response_too_large`.
   */
  encode(): Buffer {
    if (this.#bytes) return this.#bytes;
    const json = toJson(envelopeOf(this.#output), maxResponseBytes);
    if (json === null) throw tooLarge(this.#isRead);
    this.#output = null;
    this.#bytes = Buffer.from(json);
    return this.#bytes;
  }
}

function tooLarge(isRead: boolean): PosternError {
  const advice = isRead ? 'Request fewer items (count)' : 'The call was performed';
  return new PosternError(
    'response_too_large',
    `The platform sent too much: the response has more than ${maxResponseBytes} bytes. ${advice}`,
  );
}
