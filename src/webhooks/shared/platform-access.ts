import type { ForwardProxy } from '../../outbound/proxy.ts';
import type { ActivityPage, CredentialResolver, Platform, PlatformSession } from '../../platform/port.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import type { PollerCredentials } from './secrets.ts';

export type { ActivityPage, CredentialResolver };

export interface PlatformAccess {
  platform: Platform;
  readProxy: (text: Secret) => ForwardProxy;
}

/** Returns true if an `auth_token` is a connection that was deleted. Does not wait for a refresh of its login. */
export async function isDeletedConnection(
  logins: CredentialResolver,
  account: string,
  token: string,
): Promise<boolean> {
  try {
    await logins.credentialOf({ account, authToken: new Secret(token), signal: AbortSignal.abort() });
    return false;
  } catch (error) {
    return error instanceof PosternError && error.reason === 'connection_not_found';
  }
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
