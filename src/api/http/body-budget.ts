import type { IncomingMessage, ServerResponse } from 'node:http';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { ErrorReason } from '../../shared/errors/reasons.ts';

export interface BodyBudgetLimits {
  ofAccount: number;
  ofAll: number;
}

const MiB = 1024 * 1024;
const defaultLimits: BodyBudgetLimits = { ofAccount: 96 * MiB, ofAll: 256 * MiB };
/** Bodies up to this size are not counted, because the limits of concurrent and of waiting requests bound their total. */
const smallBodyBytes = 64 * 1024;

/**
 * Limits the total size of request bodies in memory, for each account and for the process. A body stays in memory until its response is
 * sent. A request is refused by its Content-Length before its body is read. A body of unknown length counts as the maximum length.
 */
export class BodyBudget {
  readonly #limits: BodyBudgetLimits;
  readonly #ofAccount = new Map<string, number>();
  #ofAll = 0;

  constructor(limits: BodyBudgetLimits = defaultLimits) {
    this.#limits = limits;
  }

  /** Counts the body of a request until its response is closed. `limitBytes` is the maximum length of the body. Throws `rate_limited`. */
  hold({ headers }: IncomingMessage, response: ServerResponse, account: string, limitBytes: number): void {
    const isUnknown = headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined;
    const bytes = isUnknown ? limitBytes : Math.min(Number(headers['content-length'] ?? 0), limitBytes);
    // A response that is already destroyed emits no further event, so its bytes would never be released. The body of such a request is not
    // read.
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
  return new PosternError(limit, `${reason}. Retry when some of them have finished, or send media by URL`, {
    retryAfterSeconds: 2,
  });
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / MiB);
}
