import { parseUrl } from '../shared/model/parse-url.ts';

/** Thrown for a malformed URL. The message continues a sentence whose subject is the field. */
export class UrlFormError extends Error {
  override readonly name = 'UrlFormError';
}

/**
 * Parses an absolute URL with one of these schemes. It is stricter than the WHATWG parser, which removes tabs and line
 * breaks, reads `\` as `/`, and repairs missing or extra slashes. Such a text could have a different host for another
 * parser.
 */
export function readUrl(text: string, schemes: readonly string[]): URL {
  const wanted = schemes.map((scheme) => `${scheme}://`).join(' or ');
  if (/[\p{Cc}\p{Z}\\]/u.test(text))
    throw new UrlFormError('must not contain spaces, control characters or backslashes');
  const scheme = /^([a-z][a-z\d+.-]*):\/\/[^/]/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || !schemes.includes(scheme)) throw new UrlFormError(`must be a URL with ${wanted}`);
  const url = parseUrl(text);
  if (!url) throw new UrlFormError('is not a URL: its host or port is malformed');
  if (url.hostname === '' || url.hostname.length > 255) throw new UrlFormError('must name a host');
  if (url.port === '0') throw new UrlFormError('must not use port 0');
  return url;
}
