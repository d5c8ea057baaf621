import type { Micros } from '../shared/model/money.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import type { AccountRecord, Balance, KeyRecord, Store, TopUpOutcome } from '../store/port.ts';
import { apiKeyEntropyBytes, apiKeyPrefix, hashApiKey, makeApiKey } from './api-key.ts';

/** Thrown if no account has the given id. */
export class NoSuchAccountError extends Error {
  override readonly name = 'NoSuchAccountError';
}

/** Creates and changes accounts and keys for the commands of operators. */
export class AccountAdmin {
  readonly #store: Store;
  readonly #runtime: Runtime;

  constructor(store: Store, runtime: Runtime) {
    this.#store = store;
    this.#runtime = runtime;
  }

  async createAccount(name: string, credit: Micros): Promise<string> {
    const id = this.#makeId('acc');
    await this.#store.accounts.create({ id, name, createdAt: this.#runtime.now() });
    if (credit > 0) await this.credit(id, credit, 'Initial credit');
    return id;
  }

  listAccounts(): Promise<(AccountRecord & Balance)[]> {
    return this.#store.accounts.list();
  }

  /** Adds credit and returns the id of the payment. Throws `NoSuchAccountError`. */
  async credit(account: string, micros: Micros, description: string, id = this.#makeId('pay')): Promise<string> {
    const topUp = { id, account, micros, description, createdAt: this.#runtime.now() };
    const outcome: TopUpOutcome = await this.#store.ledger.topUp(topUp);
    if (outcome === 'no_account') throw new NoSuchAccountError(`No such account: ${account}`);
    return id;
  }

  /** Sets the rate limit of an account; `null` means the limit of the service. Throws `NoSuchAccountError`. */
  async setRateLimit(account: string, callsPerMinute: number | null): Promise<void> {
    const found = await this.#store.accounts.setRateLimit(account, callsPerMinute);
    if (!found) throw new NoSuchAccountError(`No such account: ${account}`);
  }

  /** Makes a key. Only its hash is stored, so the key cannot be read later. Throws `NoSuchAccountError`. */
  async createKey(account: string, name: string): Promise<{ id: string; key: Secret }> {
    const key = makeApiKey(this.#runtime.randomBytes(apiKeyEntropyBytes));
    const id = this.#makeId('key');
    await this.addKey(id, account, name, key);
    return { id, key };
  }

  /** Adds a given key. An existing key with this id or hash stays as it is. Throws `NoSuchAccountError`. */
  async addKey(id: string, account: string, name: string, key: Secret): Promise<void> {
    if (!(await this.#store.accounts.find(account))) throw new NoSuchAccountError(`No such account: ${account}`);
    await this.#store.keys.create({
      id,
      account,
      name,
      prefix: apiKeyPrefix(key),
      hash: hashApiKey(key),
      createdAt: this.#runtime.now(),
      lastUsedAt: null,
      revokedAt: null,
    });
  }

  listKeys(account?: string): Promise<KeyRecord[]> {
    return this.#store.keys.list(account);
  }

  /** Revokes a key. Returns `null` if there is no such key. */
  revokeKey(id: string): Promise<KeyRecord | null> {
    return this.#store.keys.revoke(id, this.#runtime.now());
  }

  #makeId(kind: 'acc' | 'pay' | 'key'): string {
    return `${kind}_${this.#runtime.randomBytes(12).toString('hex')}`;
  }
}
