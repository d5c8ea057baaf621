import type { Spool } from './spool.ts';

/**
 * A complete file that was uploaded in a request. The code that received the file must discard it after the response.
 */
export class ReceivedFile {
  /** The media type that the sender declared. `null` if there is none. */
  readonly declaredType: string | null;
  /** The SHA-256 of the bytes. Idempotent requests are compared by it. */
  readonly sha256: string;
  readonly #spool: Spool;

  constructor(spool: Spool, declaredType: string | null) {
    this.declaredType = declaredType;
    this.sha256 = spool.digest();
    this.#spool = spool;
  }

  get spool(): Spool {
    return this.#spool;
  }

  discard(): Promise<void> {
    return this.#spool.discard();
  }
}
