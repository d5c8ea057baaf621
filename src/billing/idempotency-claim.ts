import type { PosternError } from '../shared/errors/postern-error.ts';
import type { ErrorReason } from '../shared/errors/reasons.ts';
import { type Runtime, repeat, type Timer } from '../shared/runtime/runtime.ts';
import { type ClaimReference, claimTtlMs, type IdempotencyStore, type SavedAnswer } from '../store/port.ts';

/** An answer as its caller got it. */
export interface KeptAnswer {
  status: number;
  /** The body's text. */
  body: string;
  /** Of a refusal, for the log; missing in what earlier releases kept. */
  reason?: ErrorReason;
}

export interface ClaimParts {
  store: IdempotencyStore;
  runtime: Runtime;
  /** True where an earlier attempt may have reached the platform. */
  again: boolean;
  tokenFor: (part: string) => string;
  seal: (answer: KeptAnswer) => string;
  /** Counts a refusal that is to be kept free of charge. False if the account has too many of them. */
  mayKeepRefusal: () => boolean;
  /** Counts a request that stays under its key without an answer. */
  onUnknown: () => void;
}

/** Characters of a kept refusal: nobody pays for its place in the store. */
const longestRefusal = 2_048;

/** The right to perform one request, while it runs. It is renewed until it is ended, whatever the outcome. */
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
   * The token of one write: the same for the same part of the same request, so that a platform which honours tokens
   * performs it once. From now on nobody can know that the platform was not asked.
   */
  token(part: string): string {
    this.#asked = true;
    return this.#parts.tokenFor(part);
  }

  /** The answer, to be kept in the commit that charges it. Whether or not that succeeds, the claim is over. */
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

  /** Ends it without an answer. An attempt before this one may have been performed: then the key is not freed. */
  async leave(how: 'unknown' | 'forgotten' = 'unknown'): Promise<void> {
    this.stop();
    await this.#quietly(this.#parts.store.end(this.#reference, this.#parts.again ? 'unknown' : how));
  }

  /** Renews it no longer: without more it runs out by itself. */
  stop(): void {
    this.#renewing.cancel();
  }

  /** A store that is away keeps the claim until it runs out; the caller has a better answer than that. */
  async #quietly(ending: Promise<void>): Promise<void> {
    await ending.catch(() => {});
  }
}
