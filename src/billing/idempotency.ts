import { createHmac } from 'node:crypto';
import { PosternError } from '../errors/postern-error.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Secret } from '../secrets/secret.ts';
import { deriveKey } from '../secrets/secret-key-file.ts';
import type { Vault } from '../secrets/vault.ts';
import type { IdempotencyStore } from '../store/port.ts';
import { IdempotencyClaim, type KeptAnswer } from './idempotency-claim.ts';
import { orStoreAway } from './store-away.ts';

/** A request whose caller wants it performed once, however often it is sent. */
export interface IdempotentRequest {
  account: string;
  /** The caller's `Idempotency-Key`. */
  key: string;
  /** All that makes it this request and no other. May hold secrets: it is kept as an HMAC only. */
  content: string;
}

export interface IdempotencyOptions {
  store: IdempotencyStore;
  secretKeys: readonly Secret<Buffer>[];
  vault: Vault;
  runtime: Runtime;
  /** True where the platform performs a token once, so that a call whose outcome nobody knows may be sent again. */
  repeatable: boolean;
}

/** Idempotency-Keys (DECISIONS.md): the same key and request within 24 h is performed and billed once. */
export class Idempotency {
  readonly #options: IdempotencyOptions;
  readonly #keys: readonly Secret<Buffer>[];

  constructor(options: IdempotencyOptions) {
    this.#options = options;
    this.#keys = options.secretKeys.map((key) => deriveKey(key, 'idempotency'));
  }

  /**
   * Claims the key: perform the request, then end the claim. A kept answer where it was performed before. Throws
   * `conflict` (it is running, or nobody knows its outcome), `idempotency_mismatch` or `unavailable`.
   */
  async begin({ account, key, content }: IdempotentRequest): Promise<IdempotencyClaim | KeptAnswer> {
    const { store, runtime, vault, repeatable } = this.#options;
    const reference = { account, key, owner: runtime.randomBytes(12).toString('base64url') };
    const fingerprints = this.#keys.map((secret) => hmac(secret, `request\0${content}`));
    const outcome = await orStoreAway(
      store.claim({ ...reference, fingerprints }),
      'this Idempotency-Key cannot be looked up',
    );
    switch (outcome.status) {
      case 'running':
        throw new PosternError('conflict', 'The first request with this Idempotency-Key is still running: ask again', {
          retryAfterSeconds: 1,
        });
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
        });
        if (outcome.again && !repeatable) {
          await claim.leave();
          throw new PosternError(
            'conflict',
            'outcome unknown: the first request with this Idempotency-Key may have been performed. Look, and send a new key if it was not',
          );
        }
        return claim;
      }
    }
  }
}

function recordOf(account: string, key: string): string {
  return `idempotency ${account} ${key}`;
}

function hmac(secret: Secret<Buffer>, text: string): string {
  return createHmac('sha256', secret.expose()).update(text).digest('base64url');
}
