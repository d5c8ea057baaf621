import { isLoopbackHostHeader } from '../../shared/model/loopback.ts';

/**
 * Matches the URL of a tweet: host and id. The scheme is optional, and user information is refused. Anything after the
 * id is ignored, such as `/photo/1` or `?s=20`.
 */
const pattern =
  /^(?:https?:\/\/)?([a-z0-9.-]+(?::\d{1,5})?|\[[0-9a-f:]+\](?::\d{1,5})?)\/(?:i\/web|[^/?#@\\\s]+)\/status(?:es)?\/(\d{1,20})(?:[/?#]\S*)?$/i;

/** Hosts of X. The sandbox simulates X, so it accepts them too. */
const publicHost = /^(?:(?:www|mobile|m)\.)?(?:x|twitter)\.com$/;

/**
 * Returns the id in the URL of a tweet, or `null` if `url` is not such a URL. `sandboxHost` is the host of the sandbox, which accepts
 * loopback hosts too, because it uses them in its responses.
 */
export function readTweetUrl(url: string, sandboxHost: string | null = null): string | null {
  const [, anyCase = '', id = null] = pattern.exec(url) ?? [];
  const host = anyCase.toLowerCase();
  const isOwn = sandboxHost !== null && (host === sandboxHost || isLoopbackHostHeader(host));
  return isOwn || publicHost.test(host) ? id : null;
}
