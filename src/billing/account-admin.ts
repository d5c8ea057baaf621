import { operator } from '../shared/model/audit.ts';
import type { KeyRestrictions } from '../shared/model/key-restrictions.ts';
import { formatDollars, type Micros } from '../shared/model/money.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import {
  type AccountRecord,
  auditEntryOf,
  type Balance,
  type KeyRecord,
  type Store,
  type TopUpOutcome,
} from '../store/port.ts';
import { accountUpdated } from './account-service.ts';
import { apiKeyEntropyBytes, apiKeyPrefix, hashApiKey, makeApiKey } from './api-key.ts';
import { keyCreated, keyRevoked, requireConnections } from './api-key-service.ts';
import { type RestrictionsInput, readRestrictions } from './key-restrictions.ts';

/** Thrown if no account has the given id. */
export class NoSuchAccountError extends Error {
  override readonly name = 'NoSuchAccountError';
}

/** Creates and changes accounts and API keys for the operator's commands. */
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

  /** Returns an account that was not deleted. Throws `NoSuchAccountError`. */
  async find(id: string): Promise<AccountRecord> {
    const found = await this.#store.accounts.find(id);
    if (!found) throw new NoSuchAccountError(`No such account: ${id}`);
    if (found.deletedAt !== null) throw new NoSuchAccountError(`The account ${id} was deleted`);
    return found;
  }

  /** Adds credit and returns the id of the payment. Throws `NoSuchAccountError`. */
  async credit(account: string, micros: Micros, description: string, id = this.#makeId('pay')): Promise<string> {
    await this.find(account);
    const topUp = { id, account, micros, description, createdAt: this.#runtime.now() };
    const entry = auditEntryOf(this.#runtime, {
      account,
      action: 'credit.added',
      by: operator,
      subject: { type: 'payment', id, name: description },
      details: { amount: formatDollars(micros) },
    });
    const outcome: TopUpOutcome = await this.#store.ledger.topUp(topUp, entry);
    if (outcome === 'no_account') throw new NoSuchAccountError(`No such account: ${account}`);
    return id;
  }

  /** Changes the name of an account. Throws `NoSuchAccountError`. */
  async rename(account: string, name: string): Promise<void> {
    const entry = accountUpdated(this.#runtime, await this.find(account), operator, { name });
    await this.#store.accounts.rename(account, name, entry);
  }

  /** Sets the rate limit of an account. `null` means the limit of the service. Throws `NoSuchAccountError`. */
  async setRateLimit(account: string, callsPerMinute: number | null): Promise<void> {
    const found = await this.find(account);
    const details = { rate_limit: callsPerMinute === null ? 'default' : String(callsPerMinute) };
    const entry = accountUpdated(this.#runtime, found, operator, details);
    await this.#store.accounts.setRateLimit(account, callsPerMinute, entry);
  }

  /** Creates an API key. Only its hash is stored, so the key cannot be read later. Throws `NoSuchAccountError`, `connection_not_found`. */
  async createKey(
    account: string,
    name: string,
    restrictions: RestrictionsInput = {},
  ): Promise<{ id: string; key: Secret }> {
    const key = makeApiKey(this.#runtime.randomBytes(apiKeyEntropyBytes));
    const id = this.#makeId('key');
    await this.addKey(id, account, name, key, readRestrictions(restrictions, this.#runtime.now()));
    return { id, key };
  }

  /** Adds a given API key. An existing key with this id or hash is not changed. Throws `NoSuchAccountError`. */
  async addKey(
    id: string,
    account: string,
    name: string,
    key: Secret,
    restrictions: KeyRestrictions | null = null,
  ): Promise<void> {
    await this.find(account);
    const record: KeyRecord = {
      id,
      account,
      name,
      prefix: apiKeyPrefix(key),
      hash: hashApiKey(key),
      restrictions,
      createdAt: this.#runtime.now(),
      lastUsedAt: null,
      revokedAt: null,
    };
    await requireConnections(this.#store, record);
    await this.#store.keys.create(record, keyCreated(this.#runtime, record, operator));
  }

  listKeys(account?: string): Promise<KeyRecord[]> {
    return this.#store.keys.list(account);
  }

  /** Revokes an API key. Returns `null` if it does not exist. */
  async revokeKey(id: string): Promise<KeyRecord | null> {
    const key = await this.#store.keys.find(id);
    return key ? this.#store.keys.revoke(id, this.#runtime.now(), keyRevoked(this.#runtime, key, operator)) : null;
  }

  #makeId(kind: 'acc' | 'pay' | 'key'): string {
    return `${kind}_${this.#runtime.randomBytes(12).toString('hex')}`;
  }
}
