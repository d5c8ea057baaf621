import { PosternError } from '../shared/errors/postern-error.ts';
import { Secret } from '../shared/secrets/secret.ts';
import { AddressRefusedError } from './errors.ts';
import type { OutboundGuard } from './guard.ts';
import { readUrl, UrlFormError } from './url-form.ts';

const maxLength = 2_048;
const supported = 'give http:// or https://, as http://user:password@host:port';

/** A forward proxy that a caller chose for one call. Its credentials never appear in logs. */
export class ForwardProxy {
  /** `host:port`, for messages. */
  readonly name: string;
  /** The scheme, host and port of the proxy. */
  readonly origin: string;
  /** The value of the `Proxy-Authorization` header. `null` if there are no credentials. */
  readonly authorization: Secret | null;

  constructor(name: string, origin: string, authorization: Secret | null) {
    this.name = name;
    this.origin = origin;
    this.authorization = authorization;
  }
}

/**
 * Parses the `proxy` of a caller. Checks its form and, if the host is an IP address, the address. Names are resolved
 * later. Throws `bad_input` with a message that repeats no part of the text.
 */
export function readProxy(text: Secret, guard: OutboundGuard): ForwardProxy {
  try {
    const url = readProxyUrl(text.expose());
    guard.checkHost(url.hostname);
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return new ForwardProxy(`${url.hostname}:${port}`, url.origin, authorizationOf(url));
  } catch (error) {
    if (error instanceof UrlFormError) throw malformedProxy(`${error.message}; ${supported}`);
    if (error instanceof AddressRefusedError) throw refusedProxy(error);
    throw error;
  }
}

export function refusedProxy({ message }: AddressRefusedError): PosternError {
  return new PosternError('address_refused', `Malformed field: proxy: ${message}`, { field: 'proxy' });
}

function malformedProxy(reason: string): PosternError {
  return new PosternError('malformed_field', `Malformed field: proxy: ${reason}`, { field: 'proxy' });
}

function readProxyUrl(text: string): URL {
  if (text.length > maxLength) throw new UrlFormError(`must be at most ${maxLength} characters`);
  if (/^socks/i.test(text)) throw new UrlFormError('SOCKS proxies are not supported');
  const url = readUrl(text, ['http', 'https']);
  if (url.pathname !== '/' || url.search || url.hash || /[?#]/.test(text)) {
    throw new UrlFormError('must end after the port, and / ? # in a user name or password must be percent-encoded');
  }
  return url;
}

/**
 * Returns Basic credentials (RFC 7617, section 2). The user name must not contain a colon, and neither part may contain
 * control characters.
 */
function authorizationOf({ username, password }: URL): Secret | null {
  if (username === '' && password === '') return null;
  const [user, pass] = [decode(username), decode(password)];
  if (user.includes(':')) throw new UrlFormError('must not have a colon in the user name');
  return new Secret(`Basic ${Buffer.from(`${user}:${pass}`).toString('base64')}`);
}

function decode(part: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(part);
  } catch {
    throw new UrlFormError('must have a % in a user name or password percent-encoded');
  }
  if (/\p{Cc}/u.test(decoded)) throw new UrlFormError('must not have control characters in a user name or password');
  return decoded;
}
