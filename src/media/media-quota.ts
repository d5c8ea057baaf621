import { PosternError } from '../shared/errors/postern-error.ts';
import type { ErrorReason } from '../shared/errors/reasons.ts';

interface Amount {
  /** Each piece keeps a file open, and most pieces a connection. */
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

/** The share of the quota that one piece of media uses. */
export interface QuotaShare {
  /** To be called before more bytes are stored. Throws `rate_limited` if the quota is used up. */
  grow(bytes: number): void;
  /** To be called once, after the bytes were deleted. */
  release(): void;
}

/**
 * Limits the media that exist at a time, for each account and for all accounts. Without limits they could fill the disk, which
 * the store needs too, and operators would not see why, because the files have no names. The limit of an account is a share of the media that the
 * other accounts leave: it shrinks while they use theirs, so a few accounts cannot take the whole limit of all accounts.
 */
export class MediaQuota {
  readonly #limits: MediaQuotaLimits;
  readonly #all: Amount = { pieces: 0, bytes: 0 };
  readonly #ofAccount = new Map<string, Amount>();

  constructor(limits: MediaQuotaLimits = usual) {
    this.#limits = limits;
  }

  /** Counts one more piece. Throws `rate_limited` if the quota is used up. */
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
      throw full('account_media_limit', `This account has as much media in flight as it may, ${limit}`);
    }
    const ofOthers = this.#all[what] - own[what];
    const share = Math.ceil((ofAccount[what] / ofAll[what]) * (ofAll[what] - ofOthers));
    if (own[what] + more > share) throw full('total_media_limit', 'All callers together have too much media in flight');
    own[what] += more;
    this.#all[what] += more;
  }
}

function full(reason: ErrorReason, what: string): PosternError {
  return new PosternError(reason, `${what}: ask again once some is through`, { retryAfterSeconds: 2 });
}
