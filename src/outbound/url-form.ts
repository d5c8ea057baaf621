/** A malformed URL. The message continues a sentence that begins with the field. */
export class UrlFormError extends Error {
  override readonly name = 'UrlFormError';
}

/**
 * Reads an absolute URL with one of these schemes. Stricter than the WHATWG parser, which drops tabs and line breaks, reads `\`
 * as `/` and repairs missing or extra slashes, so that two parsers can see two hosts in one text.
 */
export function readUrl(text: string, schemes: readonly string[]): URL {
  const wanted = schemes.map((scheme) => `${scheme}://`).join(' or ');
  if (/[\p{Cc}\p{Z}\\]/u.test(text))
    throw new UrlFormError('must not contain spaces, control characters or backslashes');
  const scheme = /^([a-z][a-z\d+.-]*):\/\/[^/]/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || !schemes.includes(scheme)) throw new UrlFormError(`must be a URL with ${wanted}`);
  if (!URL.canParse(text)) throw new UrlFormError('is not a URL: its host or port is malformed');
  const url = new URL(text);
  if (url.hostname === '' || url.hostname.length > 255) throw new UrlFormError('must name a host');
  if (url.port === '0') throw new UrlFormError('must not use port 0');
  return url;
}
