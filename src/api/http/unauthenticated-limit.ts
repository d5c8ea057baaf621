import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiKeyAuthenticator } from '../../billing/api-key-authenticator.ts';
import { RateLimiter, type RateState } from '../../billing/rate-limiter.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Secret } from '../../shared/secrets/secret.ts';
import { bearerOf } from './api-key.ts';
import type { ClientAddresses } from './client-address.ts';
import { localsOf } from './request-locals.ts';

export interface UnauthenticatedLimitOptions {
  keys: ApiKeyAuthenticator;
  addresses: ClientAddresses;
  /** Requests a minute of one client address; 0 for no limit. */
  limit: number;
  runtime: Runtime;
  /** How many processes share the limit. */
  processes: () => number;
}

/** An address that has used up its limit may cause this share of the limit in look-ups of keys. */
const lookUpShare = 0.1;

/**
 * Limits the requests without a valid API key of each client address; wrong keys count.
 *
 * A key that this process has seen to be valid never counts, whatever else comes from its address. A key that this process has
 * never seen must be looked up first. An address above its limit may still cause a tenth of the limit in
 * such look-ups, so a flood costs the store little and a new key behind the same address (a company, a reverse proxy that is
 * not in `TRUSTED_PROXIES`) gets in after a few attempts. A look-up that finds a valid key does not count.
 */
export class UnauthenticatedLimit {
  readonly #options: UnauthenticatedLimitOptions;
  readonly #requests: RateLimiter;
  readonly #lookUps: RateLimiter;

  constructor(options: UnauthenticatedLimitOptions) {
    const { runtime, processes, limit } = options;
    this.#options = options;
    this.#requests = new RateLimiter({ runtime, processes, defaultLimit: limit });
    this.#lookUps = new RateLimiter({ runtime, processes, defaultLimit: limit * lookUpShare });
  }

  /** Throws `rate_limited`. If the key must be looked up first, returns a promise, which never rejects. */
  admit(request: IncomingMessage, response: ServerResponse): Promise<void> | null {
    const { keys, addresses, limit } = this.#options;
    if (limit === 0) return null;
    const key = bearerOf(request);
    const standing = key === null ? 'invalid' : keys.recall(key);
    if (standing === 'valid') return null;
    const address = addresses.networkOf(request);
    const state = this.#requests.take(address, null);
    const refuse = ({ limit, retryAfterSeconds }: RateState) => {
      localsOf(response).client = address;
      return refusal(limit, retryAfterSeconds);
    };
    if (key === null || standing === 'invalid') {
      if (state?.allowed === false) throw refuse(state);
      return null;
    }
    if (state?.allowed !== false) return this.#lookUp(key, this.#requests, address);
    const spare = this.#lookUps.take(address, null);
    if (spare?.allowed === false) throw refuse(state);
    return this.#lookUp(key, this.#lookUps, address);
  }

  async #lookUp(key: Secret, counted: RateLimiter, address: string): Promise<void> {
    try {
      await this.#options.keys.authenticate(key);
    } catch (error) {
      if (asPosternError(error).code === 'unauthenticated') return;
    }
    counted.add(address, -1);
  }
}

function refusal(limit: number, retryAfterSeconds: number): PosternError {
  return new PosternError(
    'address_rate_limit',
    `This address may make ${limit} requests a minute without a valid API key: wait, or send Authorization: Bearer <API_KEY>`,
    { retryAfterSeconds },
  );
}
