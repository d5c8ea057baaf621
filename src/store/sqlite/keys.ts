import type { KeyRecord, KeyStore } from '../port.ts';
import type { Database } from './database.ts';

interface KeyRow {
  id: string;
  account: string;
  name: string;
  prefix: string;
  hash: string;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

const columns = 'id, account, name, prefix, hash, created_at, last_used_at, revoked_at';

export function sqliteKeys(database: Database): KeyStore {
  return {
    async create(key) {
      const changes = database.run(
        `INSERT INTO api_key (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        [key.id, key.account, key.name, key.prefix, key.hash, key.createdAt, key.lastUsedAt, key.revokedAt],
      );
      return changes === 1;
    },

    async findByHash(hash) {
      const row = database.get<KeyRow>(`SELECT ${columns} FROM api_key WHERE hash = ?`, [hash]);
      return row ? toKey(row) : null;
    },

    async list(account) {
      const rows =
        account === undefined
          ? database.all<KeyRow>(`SELECT ${columns} FROM api_key ORDER BY created_at, id`)
          : database.all<KeyRow>(`SELECT ${columns} FROM api_key WHERE account = ? ORDER BY created_at, id`, [account]);
      return rows.map(toKey);
    },

    async revoke(id, at) {
      const row = database.transaction(() => {
        database.run('UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL', [at, id]);
        return database.get<KeyRow>(`SELECT ${columns} FROM api_key WHERE id = ?`, [id]);
      });
      return row ? toKey(row) : null;
    },

    async touch(uses) {
      if (uses.length === 0) return;
      database.transaction(() => {
        for (const { id, at } of uses) {
          database.run('UPDATE api_key SET last_used_at = MAX(COALESCE(last_used_at, ?), ?) WHERE id = ?', [
            at,
            at,
            id,
          ]);
        }
      });
    },
  };
}

function toKey(row: KeyRow): KeyRecord {
  return {
    id: row.id,
    account: row.account,
    name: row.name,
    prefix: row.prefix,
    hash: row.hash,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}
