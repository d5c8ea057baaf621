import { createHmac, timingSafeEqual } from 'node:crypto';

const MAC_BYTES = 12;

/**
 * Encrypts positions as cursors. A cursor is bound to its scope (operation, query and actor), so a cursor of another
 * list or actor is refused.
 */
export class Cursors {
  readonly #key: Buffer;
  /** The mark of the current dataset, to which cursors are bound. */
  #dataset = '';

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** Invalidates all cursors of earlier datasets, because their positions have no meaning after a reset. */
  enter(dataset: string): void {
    this.#dataset = dataset;
  }

  seal(scope: readonly string[], position: readonly string[]): string {
    const payload = Buffer.from(position.join(' '));
    return Buffer.concat([this.#mac(scope, payload), payload]).toString('base64url');
  }

  /** Returns the position in a cursor, or undefined if the cursor does not belong to this scope. */
  open(scope: readonly string[], cursor: string): string[] | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== cursor) return undefined;
    const payload = bytes.subarray(MAC_BYTES);
    if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.#mac(scope, payload))) return undefined;
    return payload.toString().split(' ');
  }

  #mac(scope: readonly string[], payload: Buffer): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([...scope, this.#dataset]))
      .update('\u0000')
      .update(payload)
      .digest()
      .subarray(0, MAC_BYTES);
  }
}
