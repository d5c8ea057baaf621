import type { Action } from '../../actions/action.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { dataBody, errorBody } from './envelope.ts';

/** The maximum size of a response body in bytes. */
const maxResponseBytes = 16 * 1024 * 1024;
/** The JSON of an output of this size has at most 5 MB: 6 bytes for each character, and 32 more for each value. */
const smallOutput: Size = { characters: 500_000, values: 50_000 };
/** The JSON of a larger output is certainly too long: a character takes at least one byte, a value at least two. */
const largestOutput: Size = { characters: maxResponseBytes, values: maxResponseBytes / 2 };

/**
 * Returns the functions with which `ActionPipeline` makes the body of a response, an Envelope. `takesOutput` is true if the caller uses the
 * output of a read, and not its body.
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

/** The body of a response, which is encoded when it is first needed. */
class ResponseBody {
  /** The output of the action for a caller that takes it, otherwise `null`: it is not needed after it was encoded. */
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
    const bytes = isWithin(largestOutput, this.#output) ? Buffer.from(dataBody(this.#output)) : null;
    if (bytes === null || bytes.length > maxResponseBytes) throw tooLarge(this.#isRead);
    this.#output = null;
    this.#bytes = bytes;
    return bytes;
  }
}

function tooLarge(isRead: boolean): PosternError {
  const advice = isRead ? 'Request fewer items (count)' : 'The call was performed';
  return new PosternError(
    'response_too_large',
    `The platform sent too much: the response has more than ${maxResponseBytes} bytes. ${advice}`,
  );
}

interface Size {
  readonly characters: number;
  readonly values: number;
}

/**
 * Returns true if a value has at most the given number of characters and nested values. Stops traversing the value when the limit is
 * exceeded.
 */
function isWithin({ characters, values }: Size, value: unknown): boolean {
  return covers({ characters, values }, value);
}

/**
 * Subtracts the size of a value from the allowance and returns false if the allowance is exceeded. Runs for every response, so it must be
 * fast: it makes a call for each object and list, but not for each scalar.
 */
function covers(allowance: { characters: number; values: number }, value: unknown): boolean {
  if (typeof value === 'string') allowance.characters -= value.length;
  if (typeof value !== 'object' || value === null) return isLeft(allowance);
  if (Array.isArray(value)) {
    allowance.values -= value.length;
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (typeof item === 'string') allowance.characters -= item.length;
      else if (typeof item === 'object' && item !== null && !covers(allowance, item)) return false;
      if (!isLeft(allowance)) return false;
    }
  } else {
    for (const key in value) {
      const item = (value as Record<string, unknown>)[key];
      allowance.characters -= key.length;
      allowance.values--;
      if (typeof item === 'string') allowance.characters -= item.length;
      else if (typeof item === 'object' && item !== null && !covers(allowance, item)) return false;
      if (!isLeft(allowance)) return false;
    }
  }
  return isLeft(allowance);
}

function isLeft({ characters, values }: Size): boolean {
  return characters >= 0 && values >= 0;
}
