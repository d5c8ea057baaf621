import type { AuditEntry, KeyRecord, KeyStore } from '../port.ts';
import { addAudit } from './audit.ts';
import type { Database } from './database.ts';

interface KeyRow {
  id: string;
  account: string;
  name: string;
  prefix: string;
  hash: string;
  restrictions: string | null;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

const columns = 'id, account, name, prefix, hash, restrictions, created_at, last_used_at, revoked_at';

export function sqliteKeys(database: Database): KeyStore {
  function create(key: KeyRecord, audit: AuditEntry | undefined): boolean {
    const changes = database.run(
      `INSERT INTO api_key (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      [
        ...[key.id, key.account, key.name, key.prefix, key.hash],
        ...[key.restrictions && JSON.stringify(key.restrictions), key.createdAt, key.lastUsedAt, key.revokedAt],
      ],
    );
    if (changes === 0) return false;
    addAudit(database, audit);
    return true;
  }

  function find(id: string): KeyRecord | null {
    const row = database.get<KeyRow>(`SELECT ${columns} FROM api_key WHERE id = ?`, [id]);
    return row ? toKey(row) : null;
  }

  return {
    create: async (key, audit) => database.transaction(() => create(key, audit)),

    createWithin: async (key, most, audit) =>
      database.transaction(() => {
        const same = 'SELECT 1 AS found FROM api_key WHERE id = ? OR hash = ?';
        if (database.get(same, [key.id, key.hash]) !== undefined) return 'exists';
        const count = 'SELECT COUNT(*) AS valid FROM api_key WHERE account = ? AND revoked_at IS NULL';
        if ((database.get<{ valid: number }>(count, [key.account])?.valid ?? 0) >= most) return 'too_many';
        create(key, audit);
        database.run(
          `DELETE FROM api_key WHERE id IN (SELECT id FROM api_key WHERE account = ? AND revoked_at IS NOT NULL
             ORDER BY revoked_at DESC, id LIMIT -1 OFFSET ?)`,
          [key.account, most],
        );
        return 'created';
      }),

    async findByHash(hash) {
      const row = database.get<KeyRow>(`SELECT ${columns} FROM api_key WHERE hash = ?`, [hash]);
      return row ? toKey(row) : null;
    },

    find: async (id) => find(id),

    async list(account) {
      const rows =
        account === undefined
          ? database.all<KeyRow>(`SELECT ${columns} FROM api_key ORDER BY created_at, id`)
          : database.all<KeyRow>(`SELECT ${columns} FROM api_key WHERE account = ? ORDER BY created_at, id`, [account]);
      return rows.map(toKey);
    },

    async revoke(id, at, audit) {
      return database.transaction(() => {
        const update = 'UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL';
        if (database.run(update, [at, id]) === 1) addAudit(database, audit);
        return find(id);
      });
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
    restrictions: row.restrictions === null ? null : JSON.parse(row.restrictions),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}
