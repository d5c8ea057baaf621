import type { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { rejectOnAbort } from '../outbound/connector.ts';
import { AddressRefusedError, NameNotFoundError, ServerMisbehavedError } from '../outbound/errors.ts';
import type { OutboundGuard } from '../outbound/guard.ts';
import type { ForwardProxy } from '../outbound/proxy.ts';
import type { ProxyPool } from '../outbound/proxy-pool.ts';
import { UrlFormError } from '../outbound/url-form.ts';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { ErrorReason } from '../shared/errors/reasons.ts';
import { parseUrl } from '../shared/model/parse-url.ts';
import { version } from '../shared/version.ts';
import { MediaError } from './media-error.ts';
import type { TransferDeadline } from './transfer-deadline.ts';

/** The dispatchers, proxy and account for a download. */
export interface FetchRoute {
  /** The API account that is charged for the call. */
  account: string;
  guard: OutboundGuard;
  /** Connects without a proxy, to addresses that the guard allows. */
  direct: Dispatcher;
  proxies: ProxyPool;
  proxy: ForwardProxy | null;
}

export interface Fetched {
  body: Readable;
  /** The Content-Type of the response. */
  type: string | null;
}

const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Headers of a download. They contain no credentials or cookies. Compression is refused, because it would hide the real
 * size.
 */
const headers = {
  accept: 'image/*, video/*;q=0.9, */*;q=0.8',
  'accept-encoding': 'identity',
  'user-agent': `Postern/${version}`,
};

/**
 * Downloads a URL of a caller. Passes the body to `read` and closes the connections afterwards. The guard checks every
 * redirect. Throws `MediaError`, or a `PosternError` with the name of the proxy if the proxy fails.
 */
export async function fetchMedia(
  text: string,
  route: FetchRoute,
  deadline: TransferDeadline,
  read: (fetched: Fetched) => Promise<void>,
): Promise<void> {
  const visited = new Set<string>();
  let next = checkUrl(text, route.guard);
  for (;;) {
    const { href } = next;
    if (visited.has(href)) throw new MediaError('is redirected in a loop', { reason: 'media_not_fetched' });
    if (visited.size > maxRedirects) {
      throw new MediaError(`is redirected more than ${maxRedirects} times`, { reason: 'media_not_fetched' });
    }
    visited.add(href);
    const location = await sendRequest(next, route, deadline, read, visited.size > 1);
    if (location === null) return;
    next = checkRedirect(location, next, route.guard);
  }
}

/** Sends one request. Returns the new location for a redirect. Otherwise reads the body and returns `null`. */
async function sendRequest(
  url: URL,
  { account, direct, proxies, proxy }: FetchRoute,
  deadline: TransferDeadline,
  read: (fetched: Fetched) => Promise<void>,
  isRedirect: boolean,
): Promise<string | null> {
  const lease = proxy && proxies.lease(proxy, { origin: url.origin, chosenBy: 'caller' });
  let body: Readable | undefined;
  try {
    deadline.requestSent();
    const { signal } = deadline;
    const options = { dispatcher: lease?.dispatcher ?? direct, method: 'GET', headers, signal, account } as const;
    const answer = await rejectOnAbort(request(url, options), signal);
    body = answer.body;
    // The body is destroyed below and may emit an error before it has a listener.
    body.on('error', () => {});
    const { location } = answer.headers;
    if (redirects.has(answer.statusCode) && typeof location === 'string') return location;
    if (answer.statusCode !== 200) throw notFetched(`its server answers ${answer.statusCode}`);
    refuseEncoded(answer.headers);
    deadline.responseStarted();
    await read({ body, type: answer.headers['content-type']?.toString() ?? null });
    return null;
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.error;
    throw toMediaError(error, isRedirect);
  } finally {
    body?.destroy();
    lease?.release();
  }
}

function refuseEncoded({ 'content-encoding': encoding = 'identity' }: Dispatcher.ResponseData['headers']): void {
  if (encoding === 'identity' || encoding === '') return;
  const message = 'is sent compressed (Content-Encoding), though that was not asked for';
  throw new MediaError(message, { reason: 'media_not_fetched' });
}

function checkUrl(text: string, guard: OutboundGuard): URL {
  try {
    return guard.readUrl(text, ['http', 'https']);
  } catch (error) {
    if (error instanceof AddressRefusedError) throw new MediaError(error.message, { reason: 'address_refused' });
    if (error instanceof UrlFormError) throw new MediaError(error.message);
    throw error;
  }
}

function checkRedirect(location: string, from: URL, guard: OutboundGuard): URL {
  const wrong = (text: string, reason: ErrorReason) =>
    new MediaError(`is redirected to an address that ${text}`, { reason });
  const target = parseUrl(location, from);
  if (!target) throw wrong('is no URL', 'media_not_fetched');
  try {
    return checkUrl(target.href, guard);
  } catch (error) {
    throw error instanceof MediaError ? wrong(error.message, error.reason) : error;
  }
}

function toMediaError(error: unknown, isRedirect: boolean): unknown {
  if (error instanceof MediaError || error instanceof PosternError) return error;
  if (error instanceof AddressRefusedError || error instanceof NameNotFoundError) {
    const reason = error instanceof AddressRefusedError ? 'address_refused' : 'media_not_fetched';
    return new MediaError(isRedirect ? `is redirected to an address that ${error.message}` : error.message, { reason });
  }
  const what = error instanceof ServerMisbehavedError ? error.message : 'cannot be reached, or broke the connection';
  return notFetched(`its server ${what}`, error);
}

function notFetched(why: string, cause?: unknown): MediaError {
  return new MediaError(`cannot be fetched: ${why}`, { reason: 'media_not_fetched', cause });
}
