import type { ForwardProxy } from '../../outbound/proxy.ts';
import type { ActivityPage, CredentialResolver, Platform, PlatformSession } from '../../platform/port.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import type { PollerCredentials } from './secrets.ts';

export type { ActivityPage, CredentialResolver };

export interface PlatformAccess {
  platform: Platform;
  readProxy: (text: Secret) => ForwardProxy;
}

/** Returns a platform session with the credentials of a poller. */
export function pollerSession(
  { platform, readProxy }: PlatformAccess,
  account: string,
  { authToken, proxy }: PollerCredentials,
  signal: AbortSignal | null = null,
  onResponse: (bytes: number) => void = () => {},
): PlatformSession {
  return platform.as({
    account,
    authToken: new Secret(authToken),
    proxy: proxy === null ? null : readProxy(new Secret(proxy)),
    signal,
    onResponse,
    tokenFor: () => {
      throw new Error('a poller must not write');
    },
  });
}
