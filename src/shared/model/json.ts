/** Nested arrays and objects of a JSON text. Everything that is read from callers is at most 5 deep. */
const maxDepth = 64;
/** Elements and properties of a JSON text, counted over all levels. The largest request needs a few hundred. */
const maxValues = 10_000;
/** Digits, spaces and punctuation. `JSON.parse` reads them ten times more slowly than the inside of a string. */
const maxBytesOutsideStrings = 1024 * 1024;
/** `JSON.parse` hashes each name. */
const maxNameBytes = 64 * 1024;
/** Base64 has at most one character in 32 that encoders escape (`\/`, `\u002B`): fewer than this in the largest body. */
const maxEscapes = 1_000_000;

/** From here on in a string, to search is faster than to read each byte. */
const searchAfterBytes = 256;

/** Thrown for JSON that exceeds a limit. The message is a predicate, such as `nests deeper than …`. */
export class JsonLimitError extends Error {}

/**
 * Parses JSON from outside the process. Throws `JsonLimitError` before anything is parsed, so that no recursion over the
 * result (`JSON.stringify`, schema validation, GraphQL coercion) can overflow the stack. Throws `SyntaxError` for invalid JSON.
 */
export function parseJson(text: string): unknown {
  new JsonLimits().check(Buffer.from(text));
  return JSON.parse(text);
}

/** Describes an error of `parseJson` for the caller. V8's own messages quote the text, which may hold secrets. */
export function jsonFault(error: unknown): string {
  return error instanceof JsonLimitError ? error.message : 'is not valid JSON';
}

/** Counts through the bytes of a JSON text, in one piece or several. It need not be right about invalid JSON, which `JSON.parse` refuses. */
export class JsonLimits {
  #depth = 0;
  #values = 1;
  #outside = 0;
  #escapes = 0;
  #inString = false;
  #isEscaped = false;
  #stringBytes = 0;

  /** Throws `JsonLimitError`. */
  check(bytes: Uint8Array): void {
    const hasEscapes = bytes.includes(0x5c);
    let at = 0;
    while (at < bytes.length) {
      at = this.#inString ? this.#skipString(bytes, at, hasEscapes) : this.#countOutside(bytes, at);
    }
  }

  /** Returns the position after the closing quote, or the end of the bytes. */
  #skipString(bytes: Uint8Array, from: number, hasEscapes: boolean): number {
    let at = from;
    const searchFrom = hasEscapes ? bytes.length : from + searchAfterBytes;
    let escapes = this.#escapes;
    let isEscaped = this.#isEscaped;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (isEscaped) isEscaped = false;
      else if (byte === 0x5c) {
        isEscaped = true;
        escapes++;
      } else if (byte === 0x22) {
        this.#inString = false;
        at++;
        break;
      } else if (at >= searchFrom) {
        const quote = bytes.indexOf(0x22, at);
        at = (quote === -1 ? bytes.length : quote) - 1;
      }
    }
    this.#isEscaped = isEscaped;
    this.#escapes = escapes;
    this.#stringBytes += at - from;
    if (escapes > maxEscapes) throw new JsonLimitError(`has more than ${maxEscapes} escapes (\\) in its strings`);
    return at;
  }

  /** Returns the position after the next opening quote, or the end of the bytes. */
  #countOutside(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length) {
      const byte = bytes[at++];
      if (byte === 0x22) {
        this.#inString = true;
        this.#stringBytes = 0;
        break;
      }
      this.#count(byte);
    }
    this.#outside += at - from;
    if (this.#outside > maxBytesOutsideStrings) {
      throw new JsonLimitError(`has more than ${maxBytesOutsideStrings} bytes outside its strings`);
    }
    return at;
  }

  #count(byte: number | undefined): void {
    switch (byte) {
      case 0x2c: // ,
        this.#values++;
        break;
      case 0x3a: // :
        if (this.#stringBytes > maxNameBytes) {
          throw new JsonLimitError(`has a property name of more than ${maxNameBytes} bytes`);
        }
        break;
      case 0x5b: // [
      case 0x7b: // {
        this.#values++;
        if (++this.#depth > maxDepth) throw new JsonLimitError(`nests deeper than ${maxDepth} levels`);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        this.#depth--;
        break;
      default:
        return;
    }
    if (this.#values > maxValues) throw new JsonLimitError(`has more than ${maxValues} values`);
  }
}
