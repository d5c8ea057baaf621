import type { Call } from './operation.ts';
import { badRequest } from './problem.ts';

/** The fields of a request. The functions below throw a problem that names the field if its value is invalid. */
export type Fields = Readonly<Record<string, unknown>>;

const longestWaitMs = 60_000;

export function optionalString(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw badRequest(name, `${name} must be a string`);
  return value;
}

export function requiredString(fields: Fields, name: string): string {
  const value = optionalString(fields, name);
  if (value === undefined) throw badRequest(name, `${name} is required`);
  return value;
}

export function optionalBoolean(fields: Fields, name: string): boolean | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw badRequest(name, `${name} must be true or false`);
  return value;
}

export function optionalInteger(fields: Fields, name: string, low: number, high: number): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < low || value > high) {
    throw badRequest(name, `${name} must be an integer from ${low} to ${high}`);
  }
  return value;
}

export function requiredInteger(fields: Fields, name: string, low: number, high: number): number {
  const value = optionalInteger(fields, name, low, high);
  if (value === undefined) throw badRequest(name, `${name} is required`);
  return value;
}

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
