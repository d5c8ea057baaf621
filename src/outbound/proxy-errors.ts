import { PosternError } from '../shared/errors/postern-error.ts';
import { AddressRefusedError, errorCode, NameNotFoundError, ServerMisbehavedError, withoutText } from './errors.ts';
import { type ForwardProxy, refusedProxy } from './proxy.ts';

/** Matches the codes of TLS errors about untrusted certificates, of which there are about twenty. */
const certificateCode = /CERT|ISSUER|VERIFY_LEAF|SELF_SIGNED/;

/** Returns the error for a failed connection to a caller's proxy. */
export function connectError(proxy: ForwardProxy, error: unknown): PosternError {
  if (error instanceof AddressRefusedError) return refusedProxy(error);
  if (error instanceof NameNotFoundError)
    return unavailable(proxy, `cannot be reached: its name ${error.message}`, error);
  const code = errorCode(error);
  if (/^ERR_SSL_|^EPROTO$/.test(code)) return unavailable(proxy, 'cannot be reached: the TLS handshake failed', error);
  if (certificateCode.test(code)) return unavailable(proxy, 'cannot be used: its certificate is not trusted', error);
  return unavailable(proxy, `cannot be reached${connectReasons[code] ?? ''}`, error);
}

const connectReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: ': it refused the connection',
  ECONNRESET: ': it broke the connection',
  UND_ERR_CONNECT_TIMEOUT: ': no connection in time',
  ETIMEDOUT: ': no connection in time',
};

/** Returns the error for a proxy that refused to open a tunnel. */
export function refusalError(proxy: ForwardProxy, target: string, status: number): PosternError {
  if (status !== 407) return unavailable(proxy, `refused to open a tunnel to ${target} (status ${status})`);
  return unavailable(
    proxy,
    proxy.authorization ? 'refused the user name or password (407)' : 'asks for a user name and password (407)',
  );
}

/** Returns the error for a proxy that misbehaved or closed the connection before the tunnel was open. */
export function brokenTunnelError(proxy: ForwardProxy, target: string, error: unknown): PosternError {
  if (error instanceof ServerMisbehavedError) return unavailable(proxy, error.message, error);
  return unavailable(proxy, `broke the connection before the tunnel to ${target} stood`, error);
}

/**
 * Returns the error for a timeout. `connected` is true if the proxy accepted the connection but did not respond to
 * CONNECT.
 */
export function timeoutError(proxy: ForwardProxy, target: string, connected: boolean): PosternError {
  if (!connected) return unavailable(proxy, 'cannot be reached: no connection in time');
  return new PosternError('proxy_timeout', `The proxy ${proxy.name} did not open a tunnel to ${target} in time`);
}

function unavailable(proxy: ForwardProxy, what: string, cause?: unknown): PosternError {
  return new PosternError('proxy_failed', `The proxy ${proxy.name} ${what}`, {
    ...(cause !== undefined && { cause: withoutText(cause) }),
  });
}
