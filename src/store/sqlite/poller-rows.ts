import type { NewPoller, PollerRecord, PollerReference } from '../port.ts';
import type { Database } from './database.ts';

export interface PollerRow {
  id: string;
  account: string;
  sealed: string;
  created_at: number;
  cursor: string | null;
  stopped: string | null;
  unreachable: string | null;
  streamed_until: number | null;
  appended_at: number;
  gap_at: number | null;
  fence: number;
}

export const pollerColumns =
  'id, account, sealed, created_at, cursor, stopped, unreachable, streamed_until, appended_at, gap_at, fence';

export function toPoller(row: PollerRow): PollerRecord {
  return {
    id: row.id,
    account: row.account,
    sealed: row.sealed,
    createdAt: row.created_at,
    cursor: row.cursor,
    stopped: row.stopped,
    unreachable: row.unreachable,
    streamedUntil: row.streamed_until,
    appendedAt: row.appended_at,
    gapAt: row.gap_at,
    fence: row.fence,
  };
}

/** Operations on pollers that several stores share. The caller provides the transaction. */
export function pollerRows(database: Database) {
  return {
    /** Creates the poller if it does not exist. A poller that no webhook and no stream uses is reset. */
    ensure({ id, account, sealed, createdAt, cursor = null }: NewPoller, now: number): void {
      // The first fence is a time, so that it differs from all fences of a deleted poller with the same id.
      database.run(
        `INSERT INTO poller (id, account, sealed, created_at, cursor, fence) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET sealed = excluded.sealed, created_at = excluded.created_at, cursor = excluded.cursor,
           stopped = NULL, unreachable = NULL, streamed_until = NULL, gap_at = NULL, runner = NULL, fence = fence + 1,
           woken = 0
         WHERE kept_until <= ?`,
        [id, account, sealed, createdAt, cursor, now, now],
      );
    },

    setSealed({ id, account, sealed }: Pick<NewPoller, 'account' | 'id' | 'sealed'>): void {
      database.run('UPDATE poller SET sealed = ? WHERE id = ? AND account = ?', [sealed, id, account]);
    },

    isKept(account: string, id: string, now: number): boolean {
      const sql = 'SELECT 1 AS found FROM poller WHERE id = ? AND account = ? AND kept_until > ?';
      return database.get(sql, [id, account, now]) !== undefined;
    },

    /** Counts the poller's webhooks after a change, and notifies the poller. */
    recount(id: string): void {
      database.run(
        `UPDATE poller SET woken = 1, webhooks = (SELECT COUNT(*) FROM webhook WHERE webhook.poller = poller.id)
         WHERE id = ?`,
        [id],
      );
    },

    wakeOf(account: string, webhook: string): void {
      database.run('UPDATE poller SET woken = 1 WHERE id = (SELECT poller FROM webhook WHERE id = ? AND account = ?)', [
        webhook,
        account,
      ]);
    },

    /** Returns the position of the poller's last event. Returns `null` if the fence is outdated. */
    fenced({ account, id, fence }: PollerReference): number | null {
      const sql = 'SELECT last_place FROM poller WHERE id = ? AND account = ? AND fence = ?';
      return database.get<{ last_place: number }>(sql, [id, account, fence])?.last_place ?? null;
    },
  };
}
