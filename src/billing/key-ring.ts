import { LRUCache } from 'lru-cache';
import { PosternError } from '../errors/postern-error.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Secret } from '../secrets/secret.ts';
import { type KeyRecord, type KeyStore, StoreUnavailableError } from '../store/port.ts';
import { hashApiKey, looksLikeApiKey } from './api-key.ts';

/** A revoked key works no longer than this, and a new one is known no later. */
const cacheTtlMs = 5_000;
const knownLimit = 10_000;
/** Unknown keys have a cache of their own, so that a flood of them pushes out no known one. */
const unknownLimit = 10_000;
/** A key's last use is noted at most this often: it is for people, who do not count seconds. */
const touchIntervalMs = 60_000;

interface Known {
  id: string;
  account: string;
  revoked: boolean;
  /** When the store was asked: counted from the question, since the key may have been revoked while the answer travelled. */
  askedAt: number;
}

interface LookUp {
  askedAt: number;
  record: Promise<KeyRecord | null>;
}

/** Tells whose call it is. Looks each key up once in 5 s at the most. */
export class KeyRing {
  readonly #store: KeyStore;
  readonly #runtime: Runtime;
  readonly #known = new LRUCache<string, Known>({ max: knownLimit });
  readonly #unknown = new LRUCache<string, number>({ max: unknownLimit });
  readonly #touchedAt = new LRUCache<string, number>({ max: knownLimit });
  readonly #uses = new Map<string, number>();
  readonly #lookups = new Map<string, LookUp>();

  constructor(store: KeyStore, runtime: Runtime) {
    this.#store = store;
    this.#runtime = runtime;
  }

  /** The account that the key belongs to. Throws `unauthenticated`, or `unavailable` where the store is away. */
  async authenticate(key: Secret): Promise<string> {
    if (!looksLikeApiKey(key.expose())) {
      throw new PosternError('unauthenticated', 'Invalid API key: it is incomplete or mistyped');
    }
    const hash = hashApiKey(key);
    const known = this.#known.get(hash);
    const now = this.#runtime.now();
    if (known && isFresh(known.askedAt, now)) return this.#admit(known, now);
    if (isFresh(this.#unknown.get(hash), now)) throw unknownKey();
    return this.#admit(await this.#lookUp(hash, now), now);
  }

  /** Writes down when keys were last used. Failing that, they are kept for the next time. */
  async flushUses(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses].map(([id, at]) => ({ id, at }));
    await this.#store.touch(uses);
    for (const { id, at } of uses) if (this.#uses.get(id) === at) this.#uses.delete(id);
  }

  async #lookUp(hash: string, now: number): Promise<Known> {
    // Callers that arrive together with a key that is not cached share one look-up.
    let lookUp = this.#lookups.get(hash);
    if (!lookUp) {
      lookUp = { askedAt: now, record: this.#store.findByHash(hash).finally(() => this.#lookups.delete(hash)) };
      this.#lookups.set(hash, lookUp);
    }
    const { askedAt } = lookUp;
    const record = await lookUp.record.catch((error: unknown) => {
      if (!(error instanceof StoreUnavailableError)) throw error;
      throw new PosternError('unavailable', 'The store is away, so API keys cannot be checked; ask again shortly', {
        cause: error,
        retryAfterSeconds: 1,
      });
    });
    if (!record) {
      this.#known.delete(hash);
      this.#unknown.set(hash, askedAt);
      throw unknownKey();
    }
    const known = { id: record.id, account: record.account, revoked: record.revokedAt !== null, askedAt };
    this.#known.set(hash, known);
    return known;
  }

  #admit(known: Known, now: number): string {
    if (known.revoked) throw new PosternError('unauthenticated', 'Invalid API key: it was revoked');
    if (now - (this.#touchedAt.get(known.id) ?? 0) >= touchIntervalMs) {
      this.#touchedAt.set(known.id, now);
      this.#uses.set(known.id, now);
    }
    return known.account;
  }
}

/** A clock that was set back must not lengthen a revoked key's life. */
function isFresh(askedAt: number | undefined, now: number): boolean {
  return askedAt !== undefined && askedAt <= now && now - askedAt < cacheTtlMs;
}

function unknownKey(): PosternError {
  return new PosternError('unauthenticated', 'Invalid API key: no such key');
}
