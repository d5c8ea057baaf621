import type { Runtime } from '../../shared/runtime/runtime.ts';
import { type AuditEntry, type AuditStore, auditTtlMs, maxAuditEntries } from '../port.ts';
import type { Database } from './database.ts';

/** `entry` is JSON. */
interface AuditRow {
  entry: string;
}

export function sqliteAudit(database: Database, runtime: Runtime): AuditStore {
  return {
    async list(account, limit, after) {
      const rows = database.all<AuditRow>(
        `SELECT entry FROM audit WHERE account = ? AND at > ? ${after ? 'AND (at, id) < (?, ?)' : ''}
         ORDER BY at DESC, id DESC LIMIT ?`,
        [account, runtime.now() - auditTtlMs, ...(after ? [after.at, after.id] : []), limit],
      );
      return rows.map(({ entry }) => JSON.parse(entry));
    },
  };
}

/**
 * Stores an entry, and deletes the oldest entries of its account beyond `maxAuditEntries`. Must be called in the transaction of the
 * change.
 */
export function addAudit(database: Database, entry: AuditEntry | undefined): void {
  if (!entry) return;
  const { account, at, id } = entry;
  database.run('INSERT INTO audit (account, at, id, entry) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING', [
    account,
    at,
    id,
    JSON.stringify(entry),
  ]);
  database.run(
    `DELETE FROM audit WHERE account = ? AND (at, id) <=
       (SELECT at, id FROM audit WHERE account = ? ORDER BY at DESC, id DESC LIMIT 1 OFFSET ?)`,
    [account, account, maxAuditEntries],
  );
}
