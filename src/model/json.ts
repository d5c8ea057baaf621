/** Nested arrays and objects of a JSON text. Everything that is read from callers is at most 5 deep. */
const maxDepth = 64;
/** Elements and properties of a JSON text, counted over all levels. The largest request needs a few hundred. */
const maxValues = 10_000;

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
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at);
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
  }
}

/** The position of the closing quote; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
