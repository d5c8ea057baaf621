import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LimitCounters, RateKind } from '../../billing/limit-counters.ts';
import type { RateState } from '../../billing/rate-limiter.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { type AuthenticationParts, authenticate, claimedKey } from './api-key.ts';
import { localsOf } from './request-locals.ts';

export interface UnauthenticatedLimitOptions extends AuthenticationParts {
  /** The maximum number of requests per minute from one client address; 0 for no limit. */
  limit: number;
  counters: LimitCounters;
}

/** An address that has reached its limit may still cause this fraction of the limit in key look-ups. */
const lookUpShare = 0.1;

/**
 * Limits the requests without a valid API key from each client address. Requests with an invalid key count. Requests with a key that this
 * process already knows to be valid never count. An unknown key must be looked up first. An address above its limit may still cause a tenth
 * of the limit in look-ups. This keeps the load on the store low during a flood, but admits a new key from the same address (a company, or
 * a reverse proxy that is not in `TRUSTED_PROXIES`) after a few attempts. A look-up that finds a valid key does not count.
 */
export class UnauthenticatedLimit {
  readonly #options: UnauthenticatedLimitOptions;

  constructor(options: UnauthenticatedLimitOptions) {
    this.#options = options;
  }

  /**
   * Returns `null` for a request that does not count. Otherwise returns a promise that resolves if the request is allowed, and rejects with
   * `rate_limited` if not.
   */
  admit(request: IncomingMessage, response: ServerResponse): Promise<void> | null {
    const { keys, addresses, limit } = this.#options;
    if (limit === 0) return null;
    const key = claimedKey(request, this.#options);
    const standing = key === null ? 'invalid' : keys.recall(key, () => addresses.addressOf(request));
    if (standing === 'valid') return null;
    const address = addresses.networkOf(request);
    return this.#count(address, standing === 'unknown' ? request : null).catch((error) => {
      localsOf(response).client = address;
      throw error;
    });
  }

  /** Counts a request. The key of `keyed` must be looked up first; `keyed` is `null` if the request has no valid key. */
  async #count(address: string, keyed: IncomingMessage | null): Promise<void> {
    const { counters, limit } = this.#options;
    const state = counters.take('requests', address, limit);
    const allowed = state?.allowed !== false;
    if (keyed === null) {
      if (!allowed) throw refusal(state);
      return;
    }
    if (allowed) return this.#lookUp(keyed, 'requests', address);
    const spare = counters.take('look_ups', address, limit * lookUpShare);
    if (spare?.allowed === false) throw refusal(state);
    return this.#lookUp(keyed, 'look_ups', address);
  }

  async #lookUp(request: IncomingMessage, counted: RateKind, address: string): Promise<void> {
    const { counters } = this.#options;
    try {
      await authenticate(request, this.#options);
    } catch (error) {
      const { code } = asPosternError(error);
      if (code === 'unauthenticated' || code === 'forbidden') return;
    }
    counters.add(counted, address, -1);
  }
}

function refusal({ limit, retryAfterSeconds }: RateState): PosternError {
  return new PosternError(
    'address_rate_limit',
    `This address may make at most ${limit} requests per minute without a valid API key. Wait, or send Authorization: Bearer <API_KEY>`,
    { retryAfterSeconds },
  );
}
