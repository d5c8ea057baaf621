/**
 * Parses a URL. Returns `null` if it is invalid. Use it instead of `URL.canParse`, which refuses valid URLs with characters from U+0080 to
 * U+00FF in Node 20 as soon as V8 has optimised the call.
 */
export function parseUrl(text: string, base?: URL | string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
