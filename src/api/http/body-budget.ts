import type { IncomingMessage, ServerResponse } from 'node:http';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { ErrorReason } from '../../shared/errors/reasons.ts';

export interface BodyBudgetLimits {
  ofAccount: number;
  ofAll: number;
}

const MiB = 1024 * 1024;
const defaultLimits: BodyBudgetLimits = { ofAccount: 96 * MiB, ofAll: 256 * MiB };
/** Only bodies above this size count here. The limit of concurrent requests bounds the smaller ones. */
const smallBodyBytes = 64 * 1024;

/**
 * Limits the bytes of request bodies in memory, where they stay until their request has been answered. A request is refused by
 * its length before its body is read. A body of unknown length counts as the longest that is accepted.
 */
export class BodyBudget {
  readonly #limits: BodyBudgetLimits;
  readonly #ofAccount = new Map<string, number>();
  #ofAll = 0;

  constructor(limits: BodyBudgetLimits = defaultLimits) {
    this.#limits = limits;
  }

  /** Counts the body of a request, of `limitBytes` at most, until the response is closed. Throws `rate_limited`. */
  hold({ headers }: IncomingMessage, response: ServerResponse, account: string, limitBytes: number): void {
    const isUnknown = headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined;
    const bytes = isUnknown ? limitBytes : Math.min(Number(headers['content-length'] ?? 0), limitBytes);
    // The client may have hung up while its key was looked up. Its body is not read, and no event would give the bytes back.
    if (bytes <= smallBodyBytes || response.destroyed) return;
    const held = this.#ofAccount.get(account) ?? 0;
    if (held + bytes > this.#limits.ofAccount) {
      throw refusal(
        'account_body_limit',
        `This account has request bodies of ${mebibytes(held)} MiB in flight, the limit is ${mebibytes(this.#limits.ofAccount)} MiB`,
      );
    }
    if (this.#ofAll + bytes > this.#limits.ofAll)
      throw refusal('total_body_limit', 'All callers together have too many large bodies in flight');
    this.#ofAccount.set(account, held + bytes);
    this.#ofAll += bytes;
    response.once('close', () => {
      const left = (this.#ofAccount.get(account) ?? 0) - bytes;
      if (left > 0) this.#ofAccount.set(account, left);
      else this.#ofAccount.delete(account);
      this.#ofAll -= bytes;
    });
  }
}

function refusal(limit: ErrorReason, reason: string): PosternError {
  return new PosternError(limit, `${reason}: ask again once some are answered, or give media by its address`, {
    retryAfterSeconds: 2,
  });
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / MiB);
}
