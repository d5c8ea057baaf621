/** A host that a caller may not reach. The message continues a sentence that begins with what named the host. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
}

/** A name that could not be resolved in time. The message continues a sentence that begins with the name. */
export class NameNotFoundError extends Error {
  override readonly name = 'NameNotFoundError';
}

/**
 * Returns the code of a fault, for logs. The fault itself can contain bytes from the other side, and a proxy may send back the
 * credentials that it was given.
 */
export function faultCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Returns an error with the code only, for a `cause`. */
export function withoutText(error: unknown): Error {
  return new Error(faultCode(error));
}

/** A connection ended before the request could be written to it, so the other side cannot have seen the request. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';

  constructor() {
    super('closes connections before a request can be sent');
  }
}

/** A server that misuses HTTP to cost time. The message continues a sentence that begins with the server. */
export class ServerMisbehavedError extends Error {
  override readonly name = 'ServerMisbehavedError';
}
