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
  /** The ids that the request has made. Set only if its own response is not kept. */
  ids?: readonly Record<string, string>[] | undefined;
  /**
   * True if the request was a read, which a repeated request performs again. The other fields are then the response when
   * it was repeated too often, and to callers of earlier releases.
   */
  isRead?: boolean;
}

/** The response to a request that was performed. */
export interface ResponseToKeep {
  /** Returns the body of the response. `null` if it must not be kept. */
  bodyOf: (() => string | Buffer) | null;
  /** Returns the response to a repeated request if the body is not kept. */
  outcome: () => StoredResponse;
}

export interface ClaimParts {
  store: IdempotencyStore;
  runtime: Runtime;
  /** True if an earlier attempt may have reached the platform. */
  again: boolean;
  tokenFor: (part: string) => string;
  seal: (answer: StoredResponse) => string;
  /** Called with every error while a response is encoded or encrypted. */
  onError: (error: unknown) => void;
  /** Counts a refusal that will be stored without a charge. Returns false if the account has too many of them. */
  mayKeepRefusal: () => boolean;
  /** Counts a request that stays under its key without a response. */
  onUnknown: () => void;
  /** Counts a response that was stored without a charge. */
  onUnpaid: () => void;
}

/** The longest body, in bytes, that is kept. Of a longer one, only the ids are kept. */
const longestBody = 256 * 1_024;
/** The size of all kept responses of an account in bytes, without those that are always kept. Beyond it, only the ids are kept. */
const longestKept = 64 * 1_024 * 1_024;
/**
 * The stored characters of a response that is always kept, because its ids would take as much. Callers do not pay for refusals and for free
 * calls, so of these nothing longer is kept.
 */
const alwaysKept = 1_024;
/** The pause between attempts to end a claim while the store is unavailable. */
const retryMs = 1_000;

/** Reasons with status 502 for which the platform has performed nothing. */
const unperformed: ReadonlySet<ErrorReason> = new Set([
  'platform_credit_exhausted',
  'platform_app_refused',
  'platform_invalid_request',
  'platform_paused',
  'proxy_paused',
]);

/** Returns true for an error after which a repeated request may be performed as if it were the first. */
function isRefusal({ status, reason }: PosternError): boolean {
  return [408, 429, 501, 503].includes(status) || unperformed.has(reason);
}

/** The right to perform one request. The claim is renewed until it is ended. The owner must end it in every case. */
export class IdempotencyClaim {
  readonly #reference: ClaimReference;
  readonly #parts: ClaimParts;
  readonly #renewing: Timer;
  #asked = false;
  #isEnded = false;

  constructor(reference: ClaimReference, parts: ClaimParts) {
    this.#reference = reference;
    this.#parts = parts;
    this.#renewing = repeat(parts.runtime, claimTtlMs / 4, async () => {
      try {
        await parts.store.renew(reference);
      } catch {
        // The next renewal may succeed.
      }
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

  /** Returns the response for the commit that charges it. Ends the claim, even if the commit fails. Never throws. */
  chargedAnswer(response: ResponseToKeep): ChargedResponse {
    this.stop();
    const { key } = this.#reference;
    const answer = this.#sealBody(response);
    if (answer === null) return { key, answer: this.#sealOutcome(response) };
    if (answer.length <= alwaysKept) return { key, answer };
    return { key, answer, limit: { bytes: longestKept, brief: this.#sealOutcome(response) } };
  }

  /**
   * Ends a claim that was not charged, unless it has ended. The key is freed if the platform was not called yet, or if the error says
   * that nothing was performed (`isRefusal`). Any other refusal is stored as the response, unless it is too long or the account has too many
   * stored refusals. In that case the key is freed too, because the platform has performed nothing. If the outcome is unknown (500, 502,
   * 504), the request stays under its key and can be performed again with the same tokens.
   */
  async refuse(error: PosternError, bodyOf: () => string): Promise<void> {
    if (this.#isEnded) return;
    if (!this.#asked || isRefusal(error)) return this.leave('forgotten');
    if (error.status >= 500) {
      this.#parts.onUnknown();
      return this.leave();
    }
    const sealed = this.#seal(() => ({ status: error.status, body: bodyOf(), reason: error.reason }));
    if (sealed === null || sealed.length > alwaysKept || !this.#parts.mayKeepRefusal()) return this.leave('forgotten');
    await this.#keep(sealed);
  }

  /** Ends the claim of a request that succeeded and cost nothing, unless it has ended. Keeps the ids of a longer response. */
  async keepUnpaid(response: ResponseToKeep): Promise<void> {
    if (this.#isEnded) return;
    const answer = this.#sealBody(response);
    this.#parts.onUnpaid();
    await this.#keep(answer === null || answer.length > alwaysKept ? this.#sealOutcome(response) : answer);
  }

  /** Ends the claim without a response. The key is not freed if an earlier attempt may have been performed. */
  async leave(how: 'unknown' | 'forgotten' = 'unknown'): Promise<void> {
    this.stop();
    await this.#end(() => this.#parts.store.end(this.#reference, this.#parts.again ? 'unknown' : how));
  }

  /** Stops the renewal, so that the claim expires unless it is ended. */
  stop(): void {
    this.#isEnded = true;
    this.#renewing.cancel();
  }

  /** Returns the encrypted response. `null` if it must not be kept, or cannot be. */
  #sealBody({ bodyOf }: ResponseToKeep): string | null {
    if (bodyOf === null) return null;
    return this.#seal(() => {
      const body = bodyOf();
      return Buffer.byteLength(body) > longestBody ? null : { status: 200, body: body.toString() };
    });
  }

  /** Seals the outcome of a performed request: the ids of its writes. Returns an empty string if sealing fails. */
  #sealOutcome({ outcome }: ResponseToKeep): string {
    return this.#seal(outcome) ?? '';
  }

  /** A response that cannot be encoded or encrypted must not prevent the charge of a call that was performed. */
  #seal(responseOf: () => StoredResponse | null): string | null {
    try {
      const response = responseOf();
      return response && this.#parts.seal(response);
    } catch (error) {
      this.#parts.onError(error);
      return null;
    }
  }

  async #keep(sealed: string): Promise<void> {
    this.stop();
    await this.#end(() => this.#parts.store.answer(this.#reference, sealed));
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
