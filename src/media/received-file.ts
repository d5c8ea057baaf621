import type { Spool } from './spool.ts';

/** A file that came with a request, whole. Whoever received it discards it, once the request is answered. */
export class ReceivedFile {
  /** As its sender called it; `null` where it did not. */
  readonly declaredType: string | null;
  /** What makes a request with this file another than one with another file. */
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
