import { createHmac } from 'node:crypto';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import { turn } from '../shared/runtime/turns.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import { derivePurposeKey } from '../shared/secrets/secret-key-file.ts';
import { type Vault, VaultError } from '../shared/secrets/vault.ts';
import { type IdempotencyStore, orStoreUnavailable } from '../store/port.ts';
import { IdempotencyClaim, type StoredResponse } from './idempotency-claim.ts';
import { RateLimiter } from './rate-limiter.ts';

/** A request that must be performed once, even if it is sent several times. */
export interface IdempotentRequest {
  account: string;
  /** The caller's `Idempotency-Key`. */
  key: string;
  /** All data that identifies the request. It may contain secrets, so only its HMAC is stored. */
  content: string;
  /** True if a repetition changes nothing, so that the request may be performed again on any platform. */
  maySendAgain?: boolean;
}

export type Begun =
  | { kind: 'claimed'; claim: IdempotencyClaim }
  /** The request is a read that was performed and charged. It must be performed again, and not charged. */
  | { kind: 'read_again' }
  | { kind: 'kept'; answer: StoredResponse };

export interface IdempotencyOptions {
  store: IdempotencyStore;
  secretKeys: readonly Secret<Buffer>[];
  vault: Vault;
  runtime: Runtime;
  /** True if the platform performs each token once, so that a call with an unknown outcome may be repeated. */
  repeatable: boolean;
  /** Called with every error while a response is encoded or encrypted. */
  onError: (error: unknown) => void;
}

/**
 * The maximum number of uncharged records per minute that an account may add to the store: refusals, requests with an unknown outcome, and
 * responses of free calls. They are stored for 24 h.
 */
const unpaidPerMinute = 60;
/** The maximum number of times that a read is performed again under its key, because its repetitions are free. */
const freeRepetitions = 10;

/**
 * Implements Idempotency-Keys (docs/money.md, Idempotency): requests with the same key and content within 24 h are performed and charged
 * once.
 */
export class Idempotency {
  readonly #options: IdempotencyOptions;
  readonly #keys: readonly Secret<Buffer>[];
  readonly #refusals: RateLimiter;
  readonly #unknown: RateLimiter;
  readonly #free: RateLimiter;

  constructor(options: IdempotencyOptions) {
    this.#options = options;
    this.#keys = options.secretKeys.map((key) => derivePurposeKey(key, 'idempotency'));
    const limits = { runtime: options.runtime, defaultLimit: unpaidPerMinute, processes: () => 1 };
    this.#refusals = new RateLimiter(limits);
    this.#unknown = new RateLimiter(limits);
    this.#free = new RateLimiter(limits);
  }

  /**
   * Claims the key. The caller must perform the request and end the claim. Returns the stored response if the request was performed before;
   * a read must then be performed again, at most `freeRepetitions` times.
   * Throws `conflict` if the request is running, its outcome is unknown, or its response cannot be decrypted, `idempotency_mismatch`,
   * `unavailable`, or `rate_limited` if too many requests of the account ended with an unknown outcome or cost nothing.
   */
  async begin({ account, key, content, maySendAgain = false }: IdempotentRequest): Promise<Begun> {
    const { store, runtime, vault, repeatable, onError } = this.#options;
    refuseBeyond(this.#unknown, account, 'had an unknown outcome');
    refuseBeyond(this.#free, account, 'cost nothing');
    const reference = { account, key, owner: runtime.randomBytes(12).toString('base64url') };
    const fingerprints = this.#keys.map((secret) => hmac(secret, `request\0${content}`));
    const outcome = await orStoreUnavailable(
      store.claim({ ...reference, fingerprints }),
      'this Idempotency-Key cannot be looked up',
    );
    switch (outcome.status) {
      case 'running':
        throw new PosternError(
          'idempotency_running',
          'The first request with this Idempotency-Key is still running. Retry later',
          {
            retryAfterSeconds: 1,
          },
        );
      case 'mismatch':
        // The fingerprint of a request depends on the secret key as well, so no fingerprint matches if the key was dropped.
        if (outcome.answer !== null && !vault.knows(outcome.answer)) throw unreadable();
        throw new PosternError(
          'idempotency_mismatch',
          'This Idempotency-Key was used for another request within the last 24 hours: send a new key',
        );
      case 'answered': {
        // Many responses may be read together, and opening one of 256 KiB takes milliseconds.
        await turn();
        const answer = this.#openResponse(outcome.answer, recordOf(account, key));
        if (!answer.isRead) return { kind: 'kept', answer };
        const count = await orStoreUnavailable(store.repeat(account, key), 'this Idempotency-Key cannot be looked up');
        return count > freeRepetitions ? { kind: 'kept', answer } : { kind: 'read_again' };
      }
      case 'claimed': {
        const secret = this.#keys[fingerprints.indexOf(outcome.fingerprint)] as Secret<Buffer>;
        const claim = new IdempotencyClaim(reference, {
          store,
          runtime,
          again: outcome.again,
          // The time of the first request is readable, because some platforms have records that are named by their time.
          tokenFor: (part) =>
            `${outcome.since}-${hmac(secret, ['token', account, key, outcome.since, part].join('\0'))}`,
          seal: (answer) => vault.seal(JSON.stringify(answer), recordOf(account, key)),
          mayKeepRefusal: () => this.#refusals.take(account, null)?.allowed !== false,
          onUnknown: () => void this.#unknown.take(account, null),
          onUnpaid: () => this.#free.add(account, 1),
          onError,
        });
        if (outcome.again && !repeatable && !maySendAgain) {
          await claim.leave();
          throw new PosternError(
            'idempotency_outcome_unknown',
            'outcome unknown: the first request with this Idempotency-Key may have been performed. Check its effect, and send a new key if it was not performed',
          );
        }
        return { kind: 'claimed', claim };
      }
    }
  }

  #openResponse(sealed: string, record: string): StoredResponse {
    try {
      return JSON.parse(this.#options.vault.open(sealed, record)) as StoredResponse;
    } catch (error) {
      throw error instanceof VaultError ? unreadable(error) : error;
    }
  }
}

/** Throws `rate_limited` if the account has reached the limit. `what` describes the requests that count towards it. */
function refuseBeyond(limiter: RateLimiter, account: string, what: string): void {
  const state = limiter.take(account, null);
  if (state?.allowed === false) {
    throw new PosternError(
      'idempotency_limit',
      `More than ${unpaidPerMinute} requests with an Idempotency-Key ${what} within a minute: wait before the next one`,
      { retryAfterSeconds: state.retryAfterSeconds },
    );
  }
  // The request is not counted here, because how it ends decides whether it counts.
  limiter.add(account, -1);
}

/** The request must not run again, because its first attempt was performed or refused for good. */
function unreadable(cause?: VaultError): PosternError {
  return new PosternError(
    'idempotency_response_unreadable',
    'The first request with this Idempotency-Key was completed, but its response cannot be read any more, because the secret key of the ' +
      'service was changed. Check its effect, and send a new key if it was not performed',
    { cause },
  );
}

function recordOf(account: string, key: string): string {
  return `idempotency ${account} ${key}`;
}

function hmac(secret: Secret<Buffer>, text: string): string {
  return createHmac('sha256', secret.expose()).update(text).digest('base64url');
}
