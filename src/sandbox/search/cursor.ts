import { createHmac, timingSafeEqual } from 'node:crypto';

const MAC_BYTES = 12;

/**
 * A cursor is a position sealed together with what the list is of (`scope`: operation, query, actor), so that one from
 * another list, another actor or nobody is told apart from ours.
 */
export class Cursors {
  readonly #key: Buffer;
  /** Which dataset the positions are of. */
  #dataset = '';

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** From now on only cursors of this dataset hold: a position in one that was reset means nothing. */
  enter(dataset: string): void {
    this.#dataset = dataset;
  }

  seal(scope: readonly string[], position: readonly string[]): string {
    const payload = Buffer.from(position.join(' '));
    return Buffer.concat([this.#mac(scope, payload), payload]).toString('base64url');
  }

  /** The position, or undefined where the cursor is not one of ours for this list. */
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
