import { createHmac, timingSafeEqual } from 'node:crypto';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { Secret } from '../../shared/secrets/secret.ts';

const tagBytes = 16;
/** The maximum length of a cursor of the platform. GraphQL repeats the cursor of a page for each of its items. */
const maxCursorLength = 4_096;

/**
 * Signs the cursors of the platform. A cursor is accepted only for the list that it came from, which means the same
 * action, parameters and actor. Other cursors are refused before anything is charged. The signature is HMAC-SHA256
 * truncated to 128 bits. The first key signs new cursors, and every key can verify.
 */
export class CursorSealer {
  readonly #keys: readonly Secret<Buffer>[];

  constructor(keys: readonly Secret<Buffer>[]) {
    this.#keys = keys;
  }

  /** Throws `platform_unreadable` if the cursor is too long. */
  seal(cursor: string, scope: string): string {
    if (cursor.length > maxCursorLength)
      throw new PosternError('platform_unreadable', 'The cursor of the platform is too long');
    const [key] = this.#keys;
    if (!key) throw new Error('a cursor needs a key to be sealed');
    return Buffer.concat([tag(key, cursor, scope), Buffer.from(cursor, 'utf8')]).toString('base64url');
  }

  /** Returns the platform's cursor, or `null` if the signature is not valid for this scope. */
  open(sealed: string, scope: string): string | null {
    const bytes = Buffer.from(sealed, 'base64url');
    // Node ignores characters that are not base64url when it decodes, so the decoded bytes are encoded again and
    // compared with the input.
    if (bytes.length > tagBytes && bytes.toString('base64url') === sealed) {
      const cursor = bytes.toString('utf8', tagBytes);
      const given = bytes.subarray(0, tagBytes);
      if (this.#keys.some((key) => timingSafeEqual(tag(key, cursor, scope), given))) return cursor;
    }
    return null;
  }
}

function tag(key: Secret<Buffer>, cursor: string, scope: string): Buffer {
  return createHmac('sha256', key.expose()).update(`${scope}\0${cursor}`).digest().subarray(0, tagBytes);
}

/**
 * Returns the scope that a cursor is signed for. `count` is not part of the scope, because it may differ from page to
 * page. Fields in `leftOut` are not part of it either. The caller must check those fields.
 */
export function cursorScope(
  action: string,
  input: Record<string, unknown>,
  actor: string,
  leftOut: readonly string[] = [],
): string {
  const free = ['cursor', 'cursor_id', 'graph_snapshot_id', 'count', ...leftOut];
  const bound = Object.entries(input).filter(([name]) => !free.includes(name));
  return JSON.stringify([action, bound.sort(([a], [b]) => (a < b ? -1 : 1)), actor]);
}
