import type { Call } from './operation.ts';
import { badRequest } from './problem.ts';

/** The `idempotency-token` header, where one was sent. */
export function idempotencyToken(call: Call): string | undefined {
  const token = call.headers['idempotency-token'];
  if (token === undefined) return undefined;
  if (typeof token !== 'string' || !/^[\x20-\x7e]{1,128}$/.test(token)) {
    throw badRequest('idempotency-token', 'idempotency-token must be 1 to 128 printable ASCII characters');
  }
  return token;
}
