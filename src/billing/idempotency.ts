import { createHmac } from 'node:crypto';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import { deriveKey } from '../shared/secrets/secret-key-file.ts';
import type { Vault } from '../shared/secrets/vault.ts';
import type { IdempotencyStore } from '../store/port.ts';
import { orStoreAway } from '../store/store-away.ts';
import { IdempotencyClaim, type KeptAnswer } from './idempotency-claim.ts';
import { RateLimiter } from './rate-limiter.ts';

/** A request that must be performed once, even if it is sent again. */
export interface IdempotentRequest {
  account: string;
  /** The caller's `Idempotency-Key`. */
  key: string;
  /** Everything that identifies the request. It may contain secrets, so only its HMAC is stored. */
  content: string;
}

export interface IdempotencyOptions {
  store: IdempotencyStore;
  secretKeys: readonly Secret<Buffer>[];
  vault: Vault;
  runtime: Runtime;
  /** True if the platform performs a token once, so that a call with an unknown outcome may be sent again. */
  repeatable: boolean;
}

/**
 * Records that an account may add to the store a minute without paying for them: refusals, and requests with an unknown
 * outcome. They are kept for 24 h.
 */
const unpaidPerMinute = 60;

/** Idempotency-Keys (docs/money.md, Idempotency): the same key and request within 24 h is performed and billed once. */
export class Idempotency {
  readonly #options: IdempotencyOptions;
  readonly #keys: readonly Secret<Buffer>[];
  readonly #refusals: RateLimiter;
  readonly #unknown: RateLimiter;

  constructor(options: IdempotencyOptions) {
    this.#options = options;
    this.#keys = options.secretKeys.map((key) => deriveKey(key, 'idempotency'));
    const limits = { runtime: options.runtime, defaultLimit: unpaidPerMinute, processes: () => 1 };
    this.#refusals = new RateLimiter(limits);
    this.#unknown = new RateLimiter(limits);
  }

  /**
   * Claims the key. The caller must perform the request and end the claim. Returns the kept answer if the request was performed before. Throws
   * `conflict` (it is running, or nobody knows its outcome), `idempotency_mismatch`, `unavailable`, or `rate_limited` if too
   * many requests of the account ended with an unknown outcome.
   */
  async begin({ account, key, content }: IdempotentRequest): Promise<IdempotencyClaim | KeptAnswer> {
    const { store, runtime, vault, repeatable } = this.#options;
    this.#refuseBeyondUnknown(account);
    const reference = { account, key, owner: runtime.randomBytes(12).toString('base64url') };
    const fingerprints = this.#keys.map((secret) => hmac(secret, `request\0${content}`));
    const outcome = await orStoreAway(
      store.claim({ ...reference, fingerprints }),
      'this Idempotency-Key cannot be looked up',
    );
    switch (outcome.status) {
      case 'running':
        throw new PosternError(
          'idempotency_running',
          'The first request with this Idempotency-Key is still running: ask again',
          {
            retryAfterSeconds: 1,
          },
        );
      case 'mismatch':
        throw new PosternError(
          'idempotency_mismatch',
          'This Idempotency-Key was used for another request within the last 24 hours: send a new key',
        );
      case 'answered':
        return JSON.parse(vault.open(outcome.answer, recordOf(account, key))) as KeptAnswer;
      case 'claimed': {
        const secret = this.#keys[fingerprints.indexOf(outcome.fingerprint)] as Secret<Buffer>;
        const claim = new IdempotencyClaim(reference, {
          store,
          runtime,
          again: outcome.again,
          tokenFor: (part) => hmac(secret, ['token', account, key, outcome.since, part].join('\0')),
          seal: (answer) => vault.seal(JSON.stringify(answer), recordOf(account, key)),
          mayKeepRefusal: () => this.#refusals.take(account, null)?.allowed !== false,
          onUnknown: () => void this.#unknown.take(account, null),
        });
        if (outcome.again && !repeatable) {
          await claim.leave();
          throw new PosternError(
            'idempotency_outcome_unknown',
            'outcome unknown: the first request with this Idempotency-Key may have been performed. Look, and send a new key if it was not',
          );
        }
        return claim;
      }
    }
  }

  #refuseBeyondUnknown(account: string): void {
    const state = this.#unknown.take(account, null);
    if (state?.allowed === false) {
      throw new PosternError(
        'idempotency_limit',
        `More than ${unpaidPerMinute} requests with an Idempotency-Key had an unknown outcome within a minute: wait before the next one`,
        { retryAfterSeconds: state.retryAfterSeconds },
      );
    }
    // Gives the call back, because only requests that end with an unknown outcome count.
    this.#unknown.add(account, -1);
  }
}

function recordOf(account: string, key: string): string {
  return `idempotency ${account} ${key}`;
}

function hmac(secret: Secret<Buffer>, text: string): string {
  return createHmac('sha256', secret.expose()).update(text).digest('base64url');
}
