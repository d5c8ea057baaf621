/** Nested arrays and objects of a JSON text. Everything that is read from callers is at most 5 deep. */
const maxDepth = 64;
/** Elements and properties of a JSON text, counted over all levels. The largest request needs a few hundred. */
const maxValues = 10_000;
/** Only strings may be long: media as base64. `JSON.parse` takes 0.1 s for a number of 24 MB. */
const maxOutsideStrings = 1_048_576;
/** For a name of 24 MB with escapes `JSON.parse` takes twice as long as for a value. */
const maxName = 65_536;

/** Thrown for JSON that is too deep or has too many values. The message is a predicate, such as `nests deeper than …`. */
export class JsonLimitError extends Error {}

/**
 * Parses JSON from outside the process. Throws `JsonLimitError` before anything is parsed, so that no recursion over the
 * result (`JSON.stringify`, schema validation, GraphQL coercion) can overflow the stack. Throws `SyntaxError` for invalid JSON.
 */
export function parseJson(text: string): unknown {
  checkLimits(text);
  return JSON.parse(text);
}

/** Describes an error of `parseJson` for the caller. V8's own messages quote the text, which may hold secrets. */
export function jsonFault(error: unknown): string {
  return error instanceof JsonLimitError ? error.message : 'is not valid JSON';
}

/** One pass over the text that skips strings. It need not be right about invalid JSON, which `JSON.parse` refuses. */
function checkLimits(text: string): void {
  let depth = 0;
  let values = 1;
  let outside = 0;
  let string = 0;
  for (let at = 0; at < text.length; at++) {
    outside++;
    switch (text.charCodeAt(at)) {
      case 0x22: {
        // "
        const end = endOfString(text, at);
        string = end - at;
        at = end;
        break;
      }
      case 0x3a: // :
        if (string > maxName) throw new JsonLimitError('has a name that is too long');
        break;
      case 0x2c: // ,
        values++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth++;
        values++;
        if (depth > maxDepth) throw new JsonLimitError(`nests deeper than ${maxDepth} levels`);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
    if (values > maxValues) throw new JsonLimitError(`has more than ${maxValues} values`);
    if (outside > maxOutsideStrings) {
      throw new JsonLimitError(`has more than ${maxOutsideStrings} characters outside its strings`);
    }
  }
}

/** Characters after an escaped quote that are looked at one by one: `indexOf` for each of millions of quotes would be slow. */
const nearby = 64;

/** The position of the closing quote; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; ) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return quote;
    let at = quote + 1;
    for (let left = nearby; left > 0 && at < text.length; left--) {
      const code = text.charCodeAt(at);
      if (code === 0x22) return at;
      if (code === 0x5c) left = nearby;
      at += code === 0x5c ? 2 : 1;
    }
    quote = text.indexOf('"', at);
  }
  return text.length;
}
