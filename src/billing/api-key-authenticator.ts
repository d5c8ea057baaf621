import { LRUCache } from 'lru-cache';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import type { AccountStore, KeyRecord, KeyStore } from '../store/port.ts';
import { orStoreAway } from '../store/store-away.ts';
import { hashApiKey, looksLikeApiKey } from './api-key.ts';

/** A revoked key stops working, and a new one begins to work, within this time. */
const cacheTtlMs = 5_000;
const knownLimit = 10_000;
/** Unknown keys have their own cache, so that many of them cannot evict known keys. */
const unknownLimit = 10_000;
/** The last use of a key is stored at most this often. */
const touchIntervalMs = 60_000;

/** The key and the account of a call. */
export interface AuthenticatedKey {
  /** The key's id. */
  id: string;
  account: string;
  /** Calls a minute that each key of the account may make; `null` means the limit of the service. */
  rateLimit: number | null;
}

interface Known extends AuthenticatedKey {
  revoked: boolean;
  /** When the look-up began. The key may have been revoked while its result was on its way. */
  askedAt: number;
}

interface LookUp {
  askedAt: number;
  found: Promise<{ record: KeyRecord; rateLimit: number | null } | null>;
}

/** The parts of the store that authentication needs. */
export type KeyStores = { keys: KeyStore; accounts: Pick<AccountStore, 'find'> };

/** Finds the account of an API key. Looks each key up at most once in 5 s. */
export class ApiKeyAuthenticator {
  readonly #store: KeyStores;
  readonly #runtime: Runtime;
  readonly #known = new LRUCache<string, Known>({ max: knownLimit });
  readonly #unknown = new LRUCache<string, number>({ max: unknownLimit });
  readonly #touchedAt = new LRUCache<string, number>({ max: knownLimit });
  readonly #uses = new Map<string, number>();
  readonly #lookups = new Map<string, LookUp>();

  constructor(store: KeyStores, runtime: Runtime) {
    this.#store = store;
    this.#runtime = runtime;
  }

  /** Throws `unauthenticated`, or `unavailable` if the store cannot be reached. */
  async authenticate(key: Secret): Promise<AuthenticatedKey> {
    if (!looksLikeApiKey(key.expose())) {
      throw new PosternError('key_malformed', 'Invalid API key: it is incomplete or mistyped');
    }
    const hash = hashApiKey(key);
    const known = this.#known.get(hash);
    const now = this.#runtime.now();
    if (known && isFresh(known.askedAt, now)) return this.#admit(known, now);
    if (isFresh(this.#unknown.get(hash), now)) throw unknownKey();
    return this.#admit(await this.#lookUp(hash, now), now);
  }

  /**
   * Returns what this process knows about a key without a read of the store. A key that was valid when it was last looked up counts as valid;
   * `authenticate` looks it up again.
   */
  recall(key: Secret): 'valid' | 'invalid' | 'unknown' {
    const hash = hashApiKey(key);
    const known = this.#known.get(hash);
    if (known) return known.revoked ? 'invalid' : 'valid';
    const isInvalid = !looksLikeApiKey(key.expose()) || isFresh(this.#unknown.get(hash), this.#runtime.now());
    return isInvalid ? 'invalid' : 'unknown';
  }

  /** Stores when keys were last used. If that fails, the next call stores them. */
  async flushUses(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses].map(([id, at]) => ({ id, at }));
    await this.#store.keys.touch(uses);
    for (const { id, at } of uses) if (this.#uses.get(id) === at) this.#uses.delete(id);
  }

  async #lookUp(hash: string, now: number): Promise<Known> {
    // Callers that arrive together with a key that is not cached share one look-up.
    let lookUp = this.#lookups.get(hash);
    if (!lookUp) {
      lookUp = { askedAt: now, found: this.#find(hash).finally(() => this.#lookups.delete(hash)) };
      this.#lookups.set(hash, lookUp);
    }
    const { askedAt } = lookUp;
    const found = await orStoreAway(lookUp.found, 'API keys cannot be checked');
    if (!found) {
      this.#known.delete(hash);
      this.#unknown.set(hash, askedAt);
      throw unknownKey();
    }
    const { record, rateLimit } = found;
    const known = { id: record.id, account: record.account, rateLimit, revoked: record.revokedAt !== null, askedAt };
    this.#known.set(hash, known);
    return known;
  }

  async #find(hash: string) {
    const record = await this.#store.keys.findByHash(hash);
    if (!record) return null;
    const account = await this.#store.accounts.find(record.account);
    return { record, rateLimit: account?.rateLimit ?? null };
  }

  #admit(known: Known, now: number): AuthenticatedKey {
    if (known.revoked) throw new PosternError('key_revoked', 'Invalid API key: it was revoked');
    if (now - (this.#touchedAt.get(known.id) ?? 0) >= touchIntervalMs) {
      this.#touchedAt.set(known.id, now);
      this.#uses.set(known.id, now);
    }
    return known;
  }
}

/** A key that was looked up in the future counts as stale, so that setting the clock back does not keep a revoked key valid. */
function isFresh(askedAt: number | undefined, now: number): boolean {
  return askedAt !== undefined && askedAt <= now && now - askedAt < cacheTtlMs;
}

function unknownKey(): PosternError {
  return new PosternError('key_unknown', 'Invalid API key: no such key');
}
