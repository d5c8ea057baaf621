/**
 * Thrown for a host that callers may not reach. The message continues a sentence whose subject is the field with the
 * host.
 */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
}

/** Thrown for a host name that could not be resolved. The message continues a sentence whose subject is the name. */
export class NameNotFoundError extends Error {
  override readonly name = 'NameNotFoundError';
}

/**
 * Returns the code of an error, for logs. The error itself is not logged, because it may contain bytes from the other
 * side, and a proxy may repeat the credentials that it received.
 */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Returns a new error that has only the code of `error`, for use as a `cause`. */
export function withoutText(error: unknown): Error {
  return new Error(errorCode(error));
}

/** Thrown if a connection ended before the request was written, so that the other side has not received the request. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';

  constructor() {
    super('closes connections before a request can be sent');
  }
}

/**
 * Thrown for a server that misuses HTTP to consume resources. The message continues a sentence whose subject is the
 * server.
 */
export class ServerMisbehavedError extends Error {
  override readonly name = 'ServerMisbehavedError';
}
