import type { PosternError } from '../shared/errors/postern-error.ts';
import type { ErrorReason } from '../shared/errors/reasons.ts';
import { type Runtime, repeat, type Timer } from '../shared/runtime/runtime.ts';
import { type ClaimReference, claimTtlMs, type IdempotencyStore, type SavedAnswer } from '../store/port.ts';

/** The response that a caller got. */
export interface KeptAnswer {
  status: number;
  /** The body's text. */
  body: string;
  /** The reason of a refusal, for the log. Missing if an earlier release stored it. */
  reason?: ErrorReason;
}

export interface ClaimParts {
  store: IdempotencyStore;
  runtime: Runtime;
  /** True if an earlier attempt may have reached the platform. */
  again: boolean;
  tokenFor: (part: string) => string;
  seal: (answer: KeptAnswer) => string;
  /** Counts a refusal that is to be kept free of charge. False if the account has too many of them. */
  mayKeepRefusal: () => boolean;
  /** Counts a request that stays under its key without an answer. */
  onUnknown: () => void;
}

/** Longer refusals are not kept, because nobody pays for their place in the store. */
const longestRefusal = 2_048;

/** The right to perform one request. It is renewed until it is ended, which must happen in every case. */
export class IdempotencyClaim {
  readonly #reference: ClaimReference;
  readonly #parts: ClaimParts;
  readonly #renewing: Timer;
  #asked = false;

  constructor(reference: ClaimReference, parts: ClaimParts) {
    this.#reference = reference;
    this.#parts = parts;
    this.#renewing = repeat(parts.runtime, claimTtlMs / 4, async () => {
      await parts.store.renew(reference).catch(() => {});
    });
  }

  /**
   * Returns the token of one write. The same part of the same request always has the same token, so that a platform that supports
   * tokens performs it once. From now on the claim assumes that the platform was asked.
   */
  token(part: string): string {
    this.#asked = true;
    return this.#parts.tokenFor(part);
  }

  /** Returns the answer for the commit that charges it. The claim ends, even if the commit fails. */
  chargedAnswer(answer: KeptAnswer): SavedAnswer {
    this.stop();
    return { key: this.#reference.key, answer: this.#parts.seal(answer) };
  }

  /**
   * Ends a claim that was not charged. A refusal before the platform was asked frees the key, and so does one that asks
   * the caller to come again later (429, 501, 503). Any other refusal becomes the kept answer, unless it is too long or the
   * account keeps too many; the key is free then, because the platform has performed nothing. If the outcome is unknown
   * (500, 502, 504), the request stays under its key, to be performed again with the same tokens.
   */
  async refuse(error: PosternError, body: string): Promise<void> {
    if (!this.#asked || [408, 429, 501, 503].includes(error.status)) return this.leave('forgotten');
    if (error.status >= 500) {
      this.#parts.onUnknown();
      return this.leave();
    }
    if (body.length > longestRefusal || !this.#parts.mayKeepRefusal()) return this.leave('forgotten');
    await this.keep({ status: error.status, body, reason: error.reason });
  }

  /** Keeps an answer for which nothing is charged. */
  async keep(answer: KeptAnswer): Promise<void> {
    this.stop();
    await this.#quietly(this.#parts.store.answer(this.#reference, this.#parts.seal(answer)));
  }

  /** Ends the claim without an answer. The key is not freed if an earlier attempt may have been performed. */
  async leave(how: 'unknown' | 'forgotten' = 'unknown'): Promise<void> {
    this.stop();
    await this.#quietly(this.#parts.store.end(this.#reference, this.#parts.again ? 'unknown' : how));
  }

  /** Stops the renewal, so that the claim expires unless it is ended. */
  stop(): void {
    this.#renewing.cancel();
  }

  /** Ignores errors of the store: the claim then expires, and the caller has its response already. */
  async #quietly(ending: Promise<void>): Promise<void> {
    await ending.catch(() => {});
  }
}
