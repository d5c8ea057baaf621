import type { Spool } from './spool.ts';

/** A file that came with a request, whole. Whoever received it discards it, once the request is answered. */
export class ReceivedFile {
  readonly spool: Spool;
  /** As its sender called it; `null` where it did not. */
  readonly declaredType: string | null;
  readonly #digest: string;

  constructor(spool: Spool, declaredType: string | null) {
    this.spool = spool;
    this.declaredType = declaredType;
    this.#digest = spool.digest();
  }

  /** What makes a request with this file another than one with another file. */
  toJSON(): unknown {
    return { sha256: this.#digest, type: this.declaredType };
  }
}
