import { createHash } from 'node:crypto';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { ApiKey, CreatedApiKey } from '../shared/model/account.ts';
import type { AuditAuthor, AuditSubject } from '../shared/model/audit.ts';
import { formatIsoTime } from '../shared/model/time.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import { type AuditEntry, auditEntryOf, type KeyRecord, type Store } from '../store/port.ts';
import { apiKeyPrefix, hashApiKey, makeApiKey } from './api-key.ts';
import { type RestrictionsInput, readRestrictions, viewOfRestrictions } from './key-restrictions.ts';

/** The maximum number of keys of an account that are not revoked, and the number of revoked keys that are kept. */
const maxPerAccount = 100;

export interface NewApiKey {
  account: string;
  author: AuditAuthor;
  name: string;
  restrictions: RestrictionsInput;
  /** A secret that is unique for the request. A repeated request with the same token gets the same key. */
  token: string;
}

/** Lists, creates and revokes the API keys of an account for its owner (docs/rest.md, Shapes). */
export class ApiKeyService {
  readonly #store: Pick<Store, 'keys' | 'connections'>;
  readonly #runtime: Runtime;
  readonly #publicKey: string | null;

  /** `publicKey` is the id of a key that everyone knows, so that nobody may revoke it over the API. */
  constructor(store: Pick<Store, 'keys' | 'connections'>, runtime: Runtime, publicKey: string | null) {
    this.#store = store;
    this.#runtime = runtime;
    this.#publicKey = publicKey;
  }

  async list(account: string): Promise<ApiKey[]> {
    return (await this.#store.keys.list(account)).map((key) => this.#viewOf(key));
  }

  /** Creates a key. Throws `bad_input`, `connection_not_found`, or `key_limit` if the account has 100 keys that are not revoked. */
  async create({ account, author, name, restrictions, token }: NewApiKey): Promise<CreatedApiKey> {
    const digest = (use: string) => createHash('sha512').update(`${use} ${token}`).digest();
    const key: Secret = makeApiKey(digest('api key'));
    const now = this.#runtime.now();
    const record: KeyRecord = {
      id: `key_${digest('api key id').toString('hex', 0, 12)}`,
      account,
      name,
      prefix: apiKeyPrefix(key),
      hash: hashApiKey(key),
      restrictions: readRestrictions(restrictions, now),
      createdAt: now,
      lastUsedAt: null,
      revokedAt: null,
    };
    await requireConnections(this.#store, record);
    const outcome = await this.#store.keys.createWithin(
      record,
      maxPerAccount,
      keyCreated(this.#runtime, record, author),
    );
    if (outcome === 'too_many') {
      throw new PosternError('key_limit', `An account may have at most ${maxPerAccount} API keys. Revoke one first`);
    }
    // The key already exists if an earlier attempt of this request created it and then failed.
    const stored = outcome === 'created' ? record : await this.#store.keys.findByHash(record.hash);
    return { ...this.#viewOf(stored ?? record), key: key.expose() };
  }

  /** Revokes a key. Throws `not_found`, or `forbidden` for the public key. */
  async revoke(account: string, id: string, author: AuditAuthor): Promise<ApiKey> {
    if (id === this.#publicKey) {
      throw new PosternError(
        'key_public',
        'The demo key cannot be revoked, because all visitors of the sandbox share it. Revoke a key that you created',
      );
    }
    const key = await this.#store.keys.find(id);
    const revoked =
      key?.account === account
        ? await this.#store.keys.revoke(id, this.#runtime.now(), keyRevoked(this.#runtime, key, author))
        : null;
    if (!revoked) throw new PosternError('resource_not_found', `API key not found: ${id}`);
    return this.#viewOf(revoked);
  }

  #viewOf({ id, name, prefix, restrictions, createdAt, lastUsedAt, revokedAt }: KeyRecord): ApiKey {
    return {
      id,
      name,
      prefix,
      ...viewOfRestrictions(restrictions),
      created_at: formatIsoTime(createdAt),
      last_used_at: lastUsedAt === null ? null : formatIsoTime(lastUsedAt),
      revoked_at: revokedAt === null ? null : formatIsoTime(revokedAt),
      revocable: id !== this.#publicKey,
    };
  }
}

/** Throws `connection_not_found` if the account does not have a connection that restricts the new key. */
export async function requireConnections(
  { connections }: Pick<Store, 'connections'>,
  { account, restrictions }: KeyRecord,
): Promise<void> {
  for (const id of restrictions?.connections ?? []) {
    const found = await connections.find(id);
    if (found?.account === account && found.revokeAt === null) continue;
    const message = `connections: the account has no connection ${id}. GET /connections lists its connections`;
    throw new PosternError('connection_not_found', message);
  }
}

/** Returns the audit entry for the creation of a key. */
export function keyCreated(runtime: Runtime, key: KeyRecord, by: AuditAuthor): AuditEntry {
  const restrictions = Object.entries(viewOfRestrictions(key.restrictions)).filter(
    ([, value]) => value !== null && value !== false,
  );
  const details = Object.fromEntries(restrictions.map(([name, value]) => [name, String(value)]));
  return auditEntryOf(runtime, { account: key.account, action: 'key.created', by, subject: subjectOf(key), details });
}

/** Returns the audit entry for the revocation of a key. */
export function keyRevoked(runtime: Runtime, key: KeyRecord, by: AuditAuthor): AuditEntry {
  return auditEntryOf(runtime, { account: key.account, action: 'key.revoked', by, subject: subjectOf(key) });
}

function subjectOf({ id, name }: KeyRecord): AuditSubject {
  return { type: 'key', id, name };
}
