import type { ForwardProxy } from '../../outbound/proxy.ts';
import type { Platform, PlatformSession } from '../../platform/port.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import type { PollerCredentials } from './secrets.ts';

export interface PlatformAccess {
  platform: Platform;
  readProxy: (text: Secret) => ForwardProxy;
}

/** Returns a session of the platform with the credentials of a poller. */
export function pollerSession(
  { platform, readProxy }: PlatformAccess,
  account: string,
  { authToken, proxy }: PollerCredentials,
): PlatformSession {
  return platform.as({
    account,
    authToken: new Secret(authToken),
    proxy: proxy === null ? null : readProxy(new Secret(proxy)),
    signal: null,
    tokenFor: () => {
      throw new Error('a poller writes nothing');
    },
  });
}
