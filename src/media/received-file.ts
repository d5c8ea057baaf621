import type { Spool } from './spool.ts';

/** A complete file that came with a request. The code that received it must discard it after the response. */
export class ReceivedFile {
  /** The type that the sender declared; `null` if it declared none. */
  readonly declaredType: string | null;
  /** Part of the content that identifies an idempotent request. */
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
