import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { PosternError } from '../../shared/errors/postern-error.ts';

const printable = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** Returns the `Idempotency-Key` of a request. Returns `null` if the request has none. Throws `bad_input`. */
export function readIdempotencyKey(request: IncomingMessage): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !printable.test(key)) {
    throw new PosternError(
      'malformed_header',
      'Malformed header: Idempotency-Key: must be 1 to 255 printable characters',
    );
  }
  return key;
}

/**
 * Strings above this length, such as base64 media, are replaced by their digest, because otherwise up to 24 MiB would be copied several
 * times.
 */
const longestText = 65_536;

/**
 * Returns a string that identifies the content of a request: its action, input, actor and proxy. Two requests have the same string only if
 * their contents are equal. A field with `null` equals an absent field unless `keepsNull` is true.
 */
export function requestContent(
  name: string,
  input: unknown,
  secrets: readonly unknown[],
  { keepsNull = false } = {},
): string {
  return JSON.stringify([name, sortKeys(input, keepsNull), ...secrets]);
}

/** Sorts the fields of all objects, so that the order of fields does not matter. */
function sortKeys(value: unknown, keepsNull: boolean): unknown {
  if (typeof value === 'string' && value.length > longestText) return { sha256: sha256(value) };
  if (Array.isArray(value)) return value.map((item) => sortKeys(item, keepsNull));
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, item]) => item !== null || keepsNull);
  return given.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, item]) => [name, sortKeys(item, keepsNull)]);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
