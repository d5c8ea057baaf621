import type { Runtime } from '../../shared/runtime/runtime.ts';
import { type ConnectionStore, type StoredConnection, unusedConnectionTtlMs } from '../port.ts';
import { addAccountEvent } from './account-events.ts';
import { addAudit } from './audit.ts';
import type { Database } from './database.ts';

interface ConnectionRow {
  record: string;
  last_used_at: number | null;
  revision: number;
}

const columns = 'record, last_used_at, revision';

export function sqliteConnections(database: Database, runtime: Runtime): ConnectionStore {
  const find = (id: string) => {
    const row = database.get<ConnectionRow>(`SELECT ${columns} FROM connection WHERE id = ?`, [id]);
    return row ? toConnection(row) : null;
  };

  const count = (where: string, values: readonly (string | number)[]) =>
    database.get<{ found: number }>(
      `SELECT COUNT(*) AS found FROM connection WHERE account = ? AND revoke_at IS NULL ${where}`,
      values,
    )?.found ?? 0;

  return {
    create: async (record, { most, mostPending }, audit) =>
      database.transaction(() => {
        const { id, account, createdAt, status, signInEndsAt, lastUsedAt, revokeAt } = record;
        if (find(id)) return 'created';
        const now = runtime.now();
        database.run(
          `DELETE FROM connection WHERE account = ? AND revoke_at IS NULL AND status IN ('pending', 'failed')
             AND COALESCE(sign_in_ends_at, created_at) < ?`,
          [account, now - unusedConnectionTtlMs],
        );
        if (count('', [account]) >= most) return 'too_many';
        const pending = count("AND status = 'pending' AND sign_in_ends_at > ?", [account, now]);
        if (status === 'pending' && pending >= mostPending) return 'too_many_pending';
        database.run(
          `INSERT INTO connection (id, account, created_at, status, sign_in_ends_at, last_used_at, revoke_at, revision, record)
           VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)`,
          [id, account, createdAt, status, signInEndsAt, lastUsedAt, revokeAt, JSON.stringify(record)],
        );
        addAudit(database, audit);
        return 'created';
      }),

    find: async (id) => find(id),

    async list(account, limit, after) {
      const rows = database.all<ConnectionRow>(
        `SELECT ${columns} FROM connection WHERE account = ? AND revoke_at IS NULL ${after ? 'AND (created_at, id) > (?, ?)' : ''}
         ORDER BY created_at, id LIMIT ?`,
        [account, ...(after ? [after.createdAt, after.id] : []), limit],
      );
      return rows.map(toConnection);
    },

    async listAll(limit, after = '') {
      const sql = `SELECT ${columns} FROM connection WHERE id > ? ORDER BY id LIMIT ?`;
      return database.all<ConnectionRow>(sql, [after, limit]).map(toConnection);
    },

    replace: async ({ revision, ...record }, audit, event) =>
      database.transaction(() => {
        const { id, status, signInEndsAt, revokeAt } = record;
        const before = find(id);
        if (before?.revision !== revision) return null;
        const { account, createdAt } = before;
        const stored = JSON.stringify({ ...record, account, createdAt });
        database.run(
          `UPDATE connection SET status = ?, sign_in_ends_at = ?, revoke_at = ?, revision = revision + 1, record = ? WHERE id = ?`,
          [status, signInEndsAt, revokeAt, stored, id],
        );
        addAudit(database, audit);
        if (event) addAccountEvent(database, runtime, event);
        return find(id);
      }),

    async touch(uses) {
      if (uses.length === 0) return;
      const sql = 'UPDATE connection SET last_used_at = MAX(COALESCE(last_used_at, ?), ?) WHERE id = ?';
      database.transaction(() => {
        for (const { id, at } of uses) database.run(sql, [at, at, id]);
      });
    },

    async toRevoke(limit) {
      const sql = `SELECT ${columns} FROM connection WHERE revoke_at <= ? ORDER BY revoke_at, id LIMIT ?`;
      return database.all<ConnectionRow>(sql, [runtime.now(), limit]).map(toConnection);
    },

    async remove(id) {
      database.run('DELETE FROM connection WHERE id = ?', [id]);
    },
  };
}

function toConnection({ record, last_used_at: lastUsedAt, revision }: ConnectionRow): StoredConnection {
  return { ...(JSON.parse(record) as StoredConnection), lastUsedAt, revision };
}
