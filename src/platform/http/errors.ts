import { AddressRefusedError, NameNotFoundError, ServerMisbehavedError, withoutText } from '../../outbound/errors.ts';
import type { ForwardProxy } from '../../outbound/proxy.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';

/**
 * Thrown for a response that does not match the contract of the platform. The message contains names of fields, but not
 * their values.
 */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
}

/** Thrown for a refusal of a request that the platform finds invalid by itself. Nothing was performed. */
export class InvalidRequestError extends InvalidResponseError {}

export class DeadlineError extends Error {}
export class DisconnectedError extends Error {}

/** Returns the error for a response that does not match the contract and came without a proxy. */
export function unreadable(cause: InvalidResponseError): PosternError {
  if (cause instanceof InvalidRequestError)
    return new PosternError('platform_invalid_request', invalidMessage, { cause });
  return new PosternError('platform_unreadable', unreadableMessage, { cause });
}

const unreadableMessage = 'The platform answered something that cannot be understood';
const invalidMessage = 'The platform finds the request of this gateway invalid';

/** Converts the failure of a request to the platform to the error for the caller of Postern. */
export function toCallerError(error: unknown, proxy: ForwardProxy | null): PosternError {
  if (error instanceof PosternError) return error;
  if (error instanceof InvalidResponseError) {
    // A response through a proxy may contain the credentials of the request, so the text of the error is removed.
    // Without a proxy, the text names fields but not their values.
    if (!proxy) return unreadable(error);
    const cause = withoutText(error);
    if (error instanceof InvalidRequestError)
      return new PosternError('platform_invalid_request', invalidMessage, { cause });
    return new PosternError('proxy_unreadable', `${unreadableMessage} through the proxy ${proxy.name}`, { cause });
  }
  if (error instanceof DeadlineError) {
    const way = proxy ? ` through the proxy ${proxy.name}` : '';
    return new PosternError(proxy ? 'proxy_timeout' : 'platform_timeout', `The platform did not answer in time${way}`, {
      cause: error,
    });
  }
  if (error instanceof DisconnectedError) {
    return new PosternError('caller_hung_up', 'The caller disconnected', { cause: error });
  }
  if (error instanceof AddressRefusedError || error instanceof NameNotFoundError) {
    const message = `Malformed field: auth_token: the server of the account ${error.message}`;
    return new PosternError('address_refused', message, { field: 'auth_token' });
  }
  if (error instanceof ServerMisbehavedError) {
    const way = proxy ? `, or the proxy ${proxy.name} in its name,` : '';
    return new PosternError(proxy ? 'proxy_unreadable' : 'platform_unreadable', `The platform${way} ${error.message}`, {
      cause: error,
    });
  }
  if (proxy) {
    const message = `The connection to the platform through the proxy ${proxy.name} broke`;
    return new PosternError('proxy_failed', message, { cause: withoutText(error) });
  }
  // undici's parser error contains the bytes that it could not parse. The bytes may repeat the request with its
  // credentials, so the text of the error is removed.
  return new PosternError('platform_unreachable', 'The platform cannot be reached, or broke the connection', {
    cause: withoutText(error),
  });
}
