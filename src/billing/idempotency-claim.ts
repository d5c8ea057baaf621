import type { PosternError } from '../shared/errors/postern-error.ts';
import type { ErrorReason } from '../shared/errors/reasons.ts';
import { type Runtime, repeat, type Timer } from '../shared/runtime/runtime.ts';
import { type ChargedResponse, type ClaimReference, claimTtlMs, type IdempotencyStore } from '../store/port.ts';

/** The response that a caller received. */
export interface StoredResponse {
  status: number;
  /** The text of the body. */
  body: string;
  /** The reason of a refusal, for the log. Missing in responses that earlier releases stored. */
  reason?: ErrorReason;
}

export interface ClaimParts {
  store: IdempotencyStore;
  runtime: Runtime;
  /** True if an earlier attempt may have reached the platform. */
  again: boolean;
  tokenFor: (part: string) => string;
  seal: (answer: StoredResponse) => string;
  /** Counts a refusal that will be stored without a charge. Returns false if the account has too many of them. */
  mayKeepRefusal: () => boolean;
  /** Counts a request that stays under its key without a response. */
  onUnknown: () => void;
  /** Counts a response that was stored without a charge, by its length in characters. */
  onUnpaid: (characters: number) => void;
}

/** The longest refusal, in characters, that is stored. Callers do not pay for stored refusals, so a longer one is not stored. */
const longestRefusal = 2_048;
/** The pause between attempts to end a claim while the store is unavailable. */
const retryMs = 1_000;

/** The right to perform one request. The claim is renewed until it is ended. The owner must end it in every case. */
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
   * Returns the token of one write. The same part of the same request always has the same token, so that a platform that supports tokens
   * performs the write once. From now on the claim assumes that a request was sent to the platform.
   */
  token(part: string): string {
    this.#asked = true;
    return this.#parts.tokenFor(part);
  }

  /** Returns the response for the commit that charges it. Ends the claim, even if the commit fails. */
  chargedAnswer(answer: StoredResponse): ChargedResponse {
    this.stop();
    return { key: this.#reference.key, answer: this.#parts.seal(answer) };
  }

  /**
   * Ends a claim that was not charged. The key is freed if the platform was not called yet, or if the error asks the caller to retry later
   * (429, 501, 503). Any other refusal is stored as the response, unless it is too long or the account has too many stored refusals. In
   * that case the key is freed too, because the platform has performed nothing. If the outcome is unknown (500, 502, 504), the request
   * stays under its key and can be performed again with the same tokens.
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

  /** Stores the response of a request that succeeded and cost nothing. Stores any length, because the request has been performed. */
  async keepUnpaid(answer: StoredResponse): Promise<void> {
    this.#parts.onUnpaid(answer.body.length);
    await this.keep(answer);
  }

  /** Stores a response without a charge. */
  async keep(answer: StoredResponse): Promise<void> {
    this.stop();
    const sealed = this.#parts.seal(answer);
    await this.#end(() => this.#parts.store.answer(this.#reference, sealed));
  }

  /** Ends the claim without a response. The key is not freed if an earlier attempt may have been performed. */
  async leave(how: 'unknown' | 'forgotten' = 'unknown'): Promise<void> {
    this.stop();
    await this.#end(() => this.#parts.store.end(this.#reference, this.#parts.again ? 'unknown' : how));
  }

  /** Stops the renewal, so that the claim expires unless it is ended. */
  stop(): void {
    this.#renewing.cancel();
  }

  /**
   * Ends the claim in the store. If the store is unavailable, the caller does not wait: the end is tried again every second, until the claim
   * expires by itself.
   */
  async #end(ending: () => Promise<void>, until = this.#parts.runtime.now() + claimTtlMs): Promise<void> {
    try {
      await ending();
    } catch {
      const { runtime } = this.#parts;
      if (runtime.now() < until) runtime.after(retryMs, () => void this.#end(ending, until));
    }
  }
}
