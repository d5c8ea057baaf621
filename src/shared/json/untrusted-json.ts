import { randomInt } from 'node:crypto';
import { turn } from '../runtime/turns.ts';

/** The limits of a JSON text. They bound the time of `JSON.parse`, and the depth of recursive functions on its result. */
export interface JsonLimits {
  /** The maximum nesting of arrays and objects. */
  readonly depth: number;
  /** The maximum number of elements and properties, over all levels. */
  readonly values: number;
  /**
   * The maximum number of bytes outside strings: digits, spaces and punctuation. `JSON.parse` needs ten times as long for them as for
   * bytes inside strings.
   */
  readonly bytesOutsideStrings: number;
  /** The maximum size of one property name in bytes, because `JSON.parse` computes a hash of each name. */
  readonly nameBytes: number;
  /**
   * The maximum number of different property names and short strings. V8 stores each only once, and needs up to 3 µs for a new one
   * and 0.05 µs for a known one.
   */
  readonly differentTexts: number;
  /** The maximum number of escapes in strings. */
  readonly escapes: number;
}

/** The limits for requests. No input of a caller is nested more than 5 levels, or has more than a few hundred values. */
export const requestLimits: JsonLimits = {
  depth: 64,
  values: 10_000,
  bytesOutsideStrings: 1024 * 1024,
  nameBytes: 64 * 1024,
  differentTexts: 10_000,
  // Encoders escape at most one of 32 base64 characters (`\/`, `\u002B`), so the largest valid body has fewer escapes.
  escapes: 1_000_000,
};

/** V8 stores strings of up to this length only once, like property names. */
const shortBytes = 10;
/** After this many bytes of a string, searching for the closing quote is faster than reading each byte. */
const searchAfterBytes = 256;
/** The texts of a part of up to this size are not counted, because they cannot be too many. */
const uncountedBytes = 32 * 1024;
/** The number of words of 32 bits that record which texts are known. They have far more bits than there may be different texts. */
const seenWords = 2_048;
/** The multiplier of the hash of texts is random, so that nobody can choose many texts with the same hash. */
const multiplier = randomInt(2 ** 28) * 8 + 5;
const mixer = 0x2c1b3c6d;

/** The number of bytes that are checked and decoded in one turn of the event loop. Decoding this much non-ASCII text takes 2 ms. */
const sliceBytes = 256 * 1024;
const byteOrderMark = Buffer.from('\ufeff');

/** Thrown for JSON that exceeds a limit. The message is a predicate, such as `nests deeper than …`. */
export class JsonLimitError extends Error {}

/**
 * Parses JSON from outside the process. Throws `JsonLimitError` before parsing, so that no recursive function (`JSON.stringify`, schema
 * validation, GraphQL coercion) can overflow the stack on the result. Throws `SyntaxError` for invalid JSON.
 */
export function parseUntrustedJson(text: string): unknown {
  new JsonScan(requestLimits).check(Buffer.from(text));
  return JSON.parse(text);
}

/**
 * Decodes JSON from outside the process. Throws `JsonLimitError`. A large text is checked and decoded in several turns of the event loop,
 * between which other requests are handled. U+FFFD replaces bytes that are not UTF-8.
 */
export async function decodeUntrustedJson(bytes: Buffer, limits: JsonLimits): Promise<string> {
  const scan = new JsonScan(limits);
  let text = '';
  for (let from = startsWith(bytes, byteOrderMark) ? byteOrderMark.length : 0; from < bytes.length; ) {
    const slice = bytes.subarray(from, startOfCharacter(bytes, from + sliceBytes));
    scan.check(slice);
    text += slice.toString();
    from += slice.length;
    if (bytes.length > sliceBytes) await turn();
  }
  if (bytes.length > sliceBytes) {
    // Reading a character makes V8 join the slices, up to 48 MB. This is done in a separate turn before parsing.
    text.charCodeAt(0);
    await turn();
  }
  return text;
}

/**
 * Describes an error of the functions above for the caller. V8's own messages are not used, because they quote the text, which may contain
 * secrets.
 */
export function jsonErrorReason(error: unknown): string {
  return error instanceof JsonLimitError ? error.message : 'is not valid JSON';
}

/** The kinds of bytes outside strings. All other bytes are 0. */
const kinds = new Uint8Array(256);
const quote = 1;
const opening = 2;
const closing = 3;
const comma = 4;
const colon = 5;
kinds[0x22] = quote;
kinds[0x5b] = kinds[0x7b] = opening;
kinds[0x5d] = kinds[0x7d] = closing;
kinds[0x2c] = comma;
kinds[0x3a] = colon;

/**
 * Checks the limits of a JSON text, which may be passed in several parts. Results for invalid JSON need not be correct, because
 * `JSON.parse` refuses it anyway.
 */
export class JsonScan {
  readonly #limits: JsonLimits;
  #seen: Int32Array | null = null;
  #depth = 0;
  #values = 1;
  #outside = 0;
  #escapes = 0;
  #different = 0;
  #inString = false;
  #isEscaped = false;
  #stringBytes = 0;
  #hash = 0;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** Checks the next part of the text. Throws `JsonLimitError`. */
  check(bytes: Uint8Array): void {
    const { length } = bytes;
    const { depth: maxDepth, values: maxValues } = this.#limits;
    const hasEscapes = bytes.includes(0x5c);
    if (length > uncountedBytes) this.#seen ??= new Int32Array(seenWords);
    const seen = length > uncountedBytes ? this.#seen : null;
    // Local variables are faster than fields.
    let depth = this.#depth;
    let values = this.#values;
    let outside = this.#outside;
    let escapes = this.#escapes;
    let inString = this.#inString;
    let stringBytes = this.#stringBytes;
    let hash = this.#hash;
    let at = this.#isEscaped ? 1 : 0;
    while (at < length) {
      const from = at;
      if (inString) {
        const searchFrom = hasEscapes ? length : Math.min(from + searchAfterBytes, length);
        for (; at < searchFrom; at++) {
          const byte = bytes[at];
          if (byte === 0x22) {
            inString = false;
            break;
          }
          hash = (Math.imul(hash, multiplier) + (byte as number)) | 0;
          if (byte === 0x5c) {
            escapes++;
            at++;
          }
        }
        if (inString && at < length) {
          const end = bytes.indexOf(0x22, at);
          inString = end === -1;
          at = inString ? length : end;
        }
        stringBytes += at - from;
        if (inString) break;
        at++;
        if (seen !== null && stringBytes <= shortBytes) this.#countText(seen, hash ^ stringBytes);
        continue;
      }
      while (at < length && !inString) {
        switch (kinds[bytes[at++] as number]) {
          case quote:
            inString = true;
            break;
          case comma:
            values++;
            break;
          case colon:
            this.#checkName(stringBytes);
            if (seen !== null) this.#countText(seen, hash ^ stringBytes);
            break;
          case closing:
            depth--;
            break;
          case opening:
            values++;
            if (++depth > maxDepth) throw new JsonLimitError(`nests deeper than ${maxDepth} levels`);
            break;
        }
      }
      outside += at - from;
      if (values > maxValues) throw new JsonLimitError(`has more than ${maxValues} values`);
      if (!inString) break;
      hash = 0;
      stringBytes = 0;
    }
    this.#depth = depth;
    this.#values = values;
    this.#outside = outside;
    this.#escapes = escapes;
    this.#inString = inString;
    this.#isEscaped = at > length;
    this.#stringBytes = stringBytes;
    this.#hash = hash;
    this.#checkSums();
  }

  #checkSums(): void {
    const { bytesOutsideStrings, escapes } = this.#limits;
    if (this.#escapes > escapes) throw new JsonLimitError(`has more than ${escapes} escapes (\\) in its strings`);
    if (this.#outside > bytesOutsideStrings) {
      throw new JsonLimitError(`has more than ${bytesOutsideStrings} bytes outside its strings`);
    }
  }

  #checkName(bytes: number): void {
    const { nameBytes } = this.#limits;
    if (bytes > nameBytes) throw new JsonLimitError(`has a property name of more than ${nameBytes} bytes`);
  }

  /** Counts a text, unless it is known. A few different texts have the same hash and count as one. */
  #countText(seen: Int32Array, textHash: number): void {
    // With some multipliers the low bits of similar texts are equal, so the high bits are mixed into them.
    const mixed = Math.imul(textHash ^ (textHash >>> 15), mixer);
    const hash = mixed ^ (mixed >>> 12);
    const index = (hash >>> 5) & (seenWords - 1);
    const bit = 1 << hash;
    const word = seen[index] as number;
    if ((word & bit) !== 0) return;
    seen[index] = word | bit;
    this.#different++;
    if (this.#different > this.#limits.differentTexts) {
      throw new JsonLimitError(`has more than ${this.#limits.differentTexts} different names and short strings`);
    }
  }
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}

/**
 * Returns the start of the character that contains the byte at `position`, which has at most three more bytes before it. Continuation bytes
 * are 10xxxxxx (RFC 3629).
 */
function startOfCharacter(bytes: Buffer, position: number): number {
  if (position >= bytes.length) return bytes.length;
  for (let start = position; start > position - 4; start--) if (((bytes[start] ?? 0) & 0xc0) !== 0x80) return start;
  return position;
}
