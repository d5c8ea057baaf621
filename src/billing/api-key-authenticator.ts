import { LRUCache } from 'lru-cache';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { AuditAuthor } from '../shared/model/audit.ts';
import type { KeyRestrictions } from '../shared/model/key-restrictions.ts';
import { upTo } from '../shared/runtime/lru.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import { Secret } from '../shared/secrets/secret.ts';
import { type AccountStore, type KeyBudget, type KeyRecord, type KeyStore, orStoreUnavailable } from '../store/port.ts';
import { hashApiKey, looksLikeApiKey } from './api-key.ts';
import { type FindClientAddress, KeyAdmission } from './key-restrictions.ts';

/** A revoked key stops working within this many milliseconds, and a new key starts to work. */
const cacheTtlMs = 5_000;
const knownLimit = 10_000;
/** Unknown keys have their own cache, so that many unknown keys cannot evict valid ones. */
const unknownLimit = 10_000;
/** The minimum interval in milliseconds between two writes of a key's last use. */
const touchIntervalMs = 60_000;

/** The key and the account of a call. */
export interface AuthenticatedKey {
  /** The id of the key. */
  id: string;
  /** The SHA-256 of the key. */
  hash: string;
  name: string;
  account: string;
  restrictions: KeyRestrictions | null;
  /** The author of changes that calls with this key make. */
  author: AuditAuthor;
  /** The daily budget of the key; `null` if it has none. */
  budget: KeyBudget | null;
  /** The maximum number of calls per minute for each key of the account. `null` means the limit of the service. */
  rateLimit: number | null;
}

/** An API key, or the hash of one from a token that this service has made. */
export type KeyProof = Secret | { readonly hash: string };

interface Known extends AuthenticatedKey {
  revoked: boolean;
  /** `null` if the key has no restrictions. */
  admission: KeyAdmission | null;
  /** The time at which the look-up began. The key may have been revoked while the look-up was running. */
  askedAt: number;
}

interface LookUp {
  askedAt: number;
  found: Promise<{ record: KeyRecord; rateLimit: number | null } | null>;
}

/** The parts of the store that authentication needs. */
export type KeyStores = { keys: KeyStore; accounts: Pick<AccountStore, 'find'> };

/** Finds the account of an API key. Looks up each key at most once in 5 s. */
export class ApiKeyAuthenticator {
  readonly #store: KeyStores;
  readonly #runtime: Runtime;
  readonly #known = new LRUCache<string, Known>(upTo(knownLimit));
  readonly #unknown = new LRUCache<string, number>(upTo(unknownLimit));
  readonly #touchedAt = new LRUCache<string, number>(upTo(knownLimit));
  readonly #uses = new Map<string, number>();
  readonly #lookups = new Map<string, LookUp>();

  constructor(store: KeyStores, runtime: Runtime) {
    this.#store = store;
    this.#runtime = runtime;
  }

  /**
   * Returns the key and its account. Throws `unauthenticated`, `forbidden` if the key may not be used from the client's address, or
   * `unavailable` if the store cannot be reached.
   */
  async authenticate(proof: KeyProof, findAddress: FindClientAddress): Promise<AuthenticatedKey> {
    if (!isWellFormed(proof)) {
      throw new PosternError('key_malformed', 'Invalid API key: it is incomplete or mistyped');
    }
    const hash = hashOf(proof);
    const known = this.#known.get(hash);
    const now = this.#runtime.now();
    if (known && isFresh(known.askedAt, now)) return this.#admit(known, now, findAddress);
    if (isFresh(this.#unknown.get(hash), now)) throw unknownKey();
    return this.#admit(await this.#lookUp(hash, now), now, findAddress);
  }

  /**
   * Returns the cached state of a key without reading the store. A key counts as valid if it was valid at its last look-up, even if the
   * cached entry is stale. It is invalid for a client whose address it does not allow.
   */
  recall(proof: KeyProof, findAddress: FindClientAddress): 'valid' | 'invalid' | 'unknown' {
    const hash = hashOf(proof);
    const known = this.#known.get(hash);
    const now = this.#runtime.now();
    if (known) return known.revoked || known.admission?.refusal(now, findAddress) ? 'invalid' : 'valid';
    const isInvalid = !isWellFormed(proof) || isFresh(this.#unknown.get(hash), now);
    return isInvalid ? 'invalid' : 'unknown';
  }

  /** Stores the times of the last uses of keys. If that fails, the next call stores them. */
  async flushUses(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses].map(([id, at]) => ({ id, at }));
    await this.#store.keys.touch(uses);
    for (const { id, at } of uses) if (this.#uses.get(id) === at) this.#uses.delete(id);
  }

  async #lookUp(hash: string, now: number): Promise<Known> {
    // Concurrent callers with the same uncached key share one look-up.
    let lookUp = this.#lookups.get(hash);
    if (!lookUp) {
      lookUp = { askedAt: now, found: this.#find(hash).finally(() => this.#lookups.delete(hash)) };
      this.#lookups.set(hash, lookUp);
    }
    const { askedAt } = lookUp;
    const found = await orStoreUnavailable(lookUp.found, 'API keys cannot be checked');
    if (!found) {
      this.#known.delete(hash);
      this.#unknown.set(hash, askedAt);
      throw unknownKey();
    }
    const { record, rateLimit } = found;
    const { id, name, account, restrictions } = record;
    const admission = restrictions && new KeyAdmission(restrictions);
    const microsPerDay = restrictions?.microsPerDay ?? null;
    const budget = microsPerDay === null ? null : { key: id, microsPerDay };
    const author: AuditAuthor = { type: 'key', id, name };
    const known = {
      id,
      hash,
      name,
      account,
      restrictions,
      budget,
      author,
      rateLimit,
      admission,
      revoked: record.revokedAt !== null,
      askedAt,
    };
    this.#known.set(hash, known);
    return known;
  }

  async #find(hash: string) {
    const record = await this.#store.keys.findByHash(hash);
    if (!record) return null;
    const account = await this.#store.accounts.find(record.account);
    if (typeof account?.deletedAt === 'number') return null;
    return { record, rateLimit: account?.rateLimit ?? null };
  }

  #admit(known: Known, now: number, findAddress: FindClientAddress): AuthenticatedKey {
    if (known.revoked) throw new PosternError('key_revoked', 'Invalid API key: it was revoked');
    const refusal = known.admission?.refusal(now, findAddress);
    if (refusal) throw refusal;
    if (now - (this.#touchedAt.get(known.id) ?? 0) >= touchIntervalMs) {
      this.#touchedAt.set(known.id, now);
      this.#uses.set(known.id, now);
    }
    return known;
  }
}

function hashOf(proof: KeyProof): string {
  return proof instanceof Secret ? hashApiKey(proof) : proof.hash;
}

function isWellFormed(proof: KeyProof): boolean {
  return !(proof instanceof Secret) || looksLikeApiKey(proof.expose());
}

/**
 * Returns true if a look-up is recent. A look-up in the future counts as stale, so that a revoked key does not stay valid after the clock
 * was set back.
 */
function isFresh(askedAt: number | undefined, now: number): boolean {
  return askedAt !== undefined && askedAt <= now && now - askedAt < cacheTtlMs;
}

function unknownKey(): PosternError {
  return new PosternError('key_unknown', 'Invalid API key: no such key');
}
