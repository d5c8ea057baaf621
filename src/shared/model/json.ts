/** The maximum nesting of arrays and objects in a JSON text. No input of a caller is nested more than 5 levels. */
const maxDepth = 64;
/** The maximum number of elements and properties in a JSON text, over all levels. The largest valid request needs a few hundred. */
const maxValues = 10_000;
/**
 * The maximum number of bytes outside strings: digits, spaces and punctuation. `JSON.parse` needs ten times as long for them as for bytes
 * inside strings.
 */
const maxBytesOutsideStrings = 1024 * 1024;
/** The maximum size of one property name in bytes, because `JSON.parse` computes a hash of each name. */
const maxNameBytes = 64 * 1024;
/**
 * The maximum number of escapes. Encoders escape at most one of 32 base64 characters (`\/`, `\u002B`), so the largest valid body has fewer
 * escapes.
 */
const maxEscapes = 1_000_000;

/** After this many bytes of a string, searching for the closing quote is faster than reading each byte. */
const searchAfterBytes = 256;

/** Thrown for JSON that exceeds a limit. The message is a predicate, such as `nests deeper than …`. */
export class JsonLimitError extends Error {}

/**
 * Parses JSON from outside the process. Throws `JsonLimitError` before parsing, so that no recursive function (`JSON.stringify`, schema
 * validation, GraphQL coercion) can overflow the stack on the result. Throws `SyntaxError` for invalid JSON.
 */
export function parseUntrustedJson(text: string): unknown {
  new JsonLimits().check(Buffer.from(text));
  return JSON.parse(text);
}

/**
 * Describes an error of `parseUntrustedJson` for the caller. V8's own messages are not used, because they quote the text, which may contain secrets.
 */
export function jsonErrorReason(error: unknown): string {
  return error instanceof JsonLimitError ? error.message : 'is not valid JSON';
}

/**
 * Checks the limits of a JSON text, which may be passed in several parts. Results for invalid JSON need not be correct, because
 * `JSON.parse` refuses it anyway.
 */
export class JsonLimits {
  #depth = 0;
  #values = 1;
  #outside = 0;
  #escapes = 0;
  #inString = false;
  #isEscaped = false;
  #stringBytes = 0;

  /** Checks the next part of the text. Throws `JsonLimitError`. */
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
