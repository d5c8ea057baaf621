import { badRequest } from '../refusal.ts';
import type { Call } from './operation.ts';

const longestWaitMs = 60_000;

/** Reads the `count` parameter of a paged list. */
export function pageSize(query: URLSearchParams): number {
  const text = query.get('count');
  if (text === null) return 20;
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > 100) throw badRequest('count', 'count must be an integer from 1 to 100');
  return count;
}

/** Reads `wait_ms`, the maximum time that a request may wait for an event, in milliseconds. */
export function waitMs(query: URLSearchParams): number {
  const text = query.get('wait_ms') ?? '0';
  const ms = /^\d{1,5}$/.test(text) ? Number(text) : longestWaitMs + 1;
  if (ms > longestWaitMs) throw badRequest('wait_ms', `wait_ms must be an integer from 0 to ${longestWaitMs}`);
  return ms;
}

/** Reads the `idempotency-token` header, if present. */
export function idempotencyToken(call: Call): string | undefined {
  const token = call.headers['idempotency-token'];
  if (token === undefined) return undefined;
  if (typeof token !== 'string' || !/^[\x20-\x7e]{1,128}$/.test(token)) {
    throw badRequest('idempotency-token', 'idempotency-token must be 1 to 128 printable ASCII characters');
  }
  return token;
}
