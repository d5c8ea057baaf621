import { PosternError } from '../shared/errors/postern-error.ts';
import type { ErrorReason } from '../shared/errors/reasons.ts';

interface Amount {
  /** The number of media files that exist. Each has an open file, and most have a connection. */
  pieces: number;
  bytes: number;
}

export interface MediaQuotaLimits {
  ofAccount: Readonly<Amount>;
  ofAll: Readonly<Amount>;
}

const GiB = 1024 ** 3;
const usual: MediaQuotaLimits = {
  ofAccount: { pieces: 250, bytes: 4 * GiB },
  ofAll: { pieces: 1_000, bytes: 8 * GiB },
};

/** The part of the quota that one media file uses. */
export interface QuotaShare {
  /** Counts bytes before they are stored. Throws `rate_limited` if the quota is exceeded. */
  grow(bytes: number): void;
  /** Releases the share. Call it once, after the bytes were deleted. */
  release(): void;
}

/**
 * Limits the temporary media files, both per account and in total. Without limits they could fill the disk that the
 * store also needs. Operators could not find the cause, because the files are unlinked. Each account may use a share of
 * what the other accounts leave free, so that a few accounts cannot use up the total.
 */
export class MediaQuota {
  readonly #limits: MediaQuotaLimits;
  readonly #all: Amount = { pieces: 0, bytes: 0 };
  readonly #ofAccount = new Map<string, Amount>();

  constructor(limits: MediaQuotaLimits = usual) {
    this.#limits = limits;
  }

  /** Counts a new media file. Throws `rate_limited` if the quota is exceeded. */
  take(account: string): QuotaShare {
    const own = this.#ofAccount.get(account) ?? { pieces: 0, bytes: 0 };
    const held = { pieces: 1, bytes: 0 };
    this.#add(own, 'pieces', 1);
    this.#ofAccount.set(account, own);
    return {
      grow: (bytes) => {
        this.#add(own, 'bytes', bytes);
        held.bytes += bytes;
      },
      release: () => {
        for (const amount of [own, this.#all]) {
          amount.pieces -= held.pieces;
          amount.bytes -= held.bytes;
        }
        if (own.pieces === 0) this.#ofAccount.delete(account);
      },
    };
  }

  #add(own: Amount, what: keyof Amount, more: number): void {
    const { ofAccount, ofAll } = this.#limits;
    if (own[what] + more > ofAccount[what]) {
      const limit = what === 'pieces' ? `${ofAccount.pieces} pieces` : `${ofAccount.bytes / GiB} GiB`;
      throw full('account_media_limit', `This account has reached its limit of media in flight, ${limit}`);
    }
    const ofOthers = this.#all[what] - own[what];
    const share = Math.ceil((ofAccount[what] / ofAll[what]) * (ofAll[what] - ofOthers));
    if (own[what] + more > share) throw full('total_media_limit', 'All callers together have too much media in flight');
    own[what] += more;
    this.#all[what] += more;
  }
}

function full(reason: ErrorReason, what: string): PosternError {
  return new PosternError(reason, `${what}: try again when some of it is finished`, { retryAfterSeconds: 2 });
}
