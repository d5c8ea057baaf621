import type { Runtime } from '../../shared/runtime/runtime.ts';
import { liveRange } from '../expiry.ts';
import { type PollerStore, pollerTtlMs } from '../port.ts';
import type { Database } from './database.ts';
import type { WriteGroup } from './group.ts';
import type { PollerHostLock } from './poller-host-lock.ts';
import { type PollerRow, pollerColumns, pollerRows, toPoller } from './poller-rows.ts';

export function sqlitePollers(
  database: Database,
  group: WriteGroup,
  runtime: Runtime,
  presence: PollerHostLock,
): PollerStore {
  const rows = pollerRows(database);

  function live(process: string, now: number): void {
    // No other process exists, so all others that are registered have died. After a crash, the restarted process need not wait for the old
    // registration to expire.
    if (presence.enter()) database.run('UPDATE runner SET until = 0 WHERE id <> ?', [process]);
    database.run('INSERT INTO runner (id, until) VALUES (?, ?) ON CONFLICT DO UPDATE SET until = excluded.until', [
      process,
      now + pollerTtlMs,
    ]);
  }

  /** A process stays registered while it has pollers, so all unclaimed pollers belong to expired processes or to none. */
  function free(process: string, now: number, limit: number): PollerRow[] {
    const { after, latest } = liveRange(now, pollerTtlMs);
    const sql = 'SELECT id FROM runner WHERE (until <= ? OR until > ?) AND id <> ?';
    const dead = database.all<{ id: string }>(sql, [after, latest, process]);
    const found: PollerRow[] = [];
    for (const runner of [null, ...dead.map(({ id }) => id)]) {
      if (found.length >= limit) break;
      const pollersOf = `SELECT ${pollerColumns} FROM poller WHERE runner IS ? AND kept_until > ? LIMIT ?`;
      found.push(...database.all<PollerRow>(pollersOf, [runner, now, limit - found.length]));
    }
    return found;
  }

  function claim(process: string, limit: number): PollerRow[] {
    const now = runtime.now();
    const found = free(process, now, limit);
    if (found.length > 0) live(process, now);
    return found.map((row) => {
      database.run('UPDATE poller SET runner = ?, fence = fence + 1, woken = 0 WHERE id = ?', [process, row.id]);
      return { ...row, fence: row.fence + 1 };
    });
  }

  return {
    beat: (process) =>
      group.add(() => {
        const now = runtime.now();
        live(process, now);
        const { after, latest } = liveRange(now, pollerTtlMs);
        database.run(
          `DELETE FROM runner
           WHERE (until <= ? OR until > ?) AND NOT EXISTS (SELECT 1 FROM poller WHERE runner = runner.id)`,
          [after, latest],
        );
        const sql = 'SELECT COUNT(*) AS live FROM runner WHERE until > ? AND until <= ?';
        return database.get<{ live: number }>(sql, [after, latest])?.live ?? 1;
      }),

    leave: (process) => group.add(() => void database.run('UPDATE runner SET until = 0 WHERE id = ?', [process])),

    async find(account, id) {
      const sql = `SELECT ${pollerColumns} FROM poller WHERE id = ? AND account = ? AND kept_until > ?`;
      const row = database.get<PollerRow>(sql, [id, account, runtime.now()]);
      return row ? toPoller(row) : null;
    },

    keepForStream: (poller, until) =>
      group.add(() => {
        const now = runtime.now();
        rows.ensure(poller, now);
        database.run(
          `UPDATE poller SET streamed_until = MAX(COALESCE(streamed_until, 0), ?),
             woken = CASE WHEN COALESCE(streamed_until, 0) <= ? THEN 1 ELSE woken END
           WHERE id = ? AND account = ?`,
          [until, now, poller.id, poller.account],
        );
      }),

    async claim(process, limit) {
      // Usually there is nothing to claim, which needs no transaction.
      if (free(process, runtime.now(), 1).length === 0) return [];
      return (await group.add(() => claim(process, limit))).map(toPoller);
    },

    release: (pollers) =>
      group.add(() => {
        for (const { account, id, fence } of pollers) {
          database.run('UPDATE poller SET runner = NULL WHERE id = ? AND account = ? AND fence = ?', [
            id,
            account,
            fence,
          ]);
        }
      }),

    async confirm(process, pollers) {
      const fences = new Map(pollers.map(({ id, fence }) => [id, fence]));
      const stands = database.all<{ id: string; fence: number }>('SELECT id, fence FROM poller WHERE runner = ?', [
        process,
      ]);
      const lost = stands.filter(({ id, fence }) => fences.get(id) !== fence);
      if (lost.length > 0) {
        await group.add(() => {
          const sql = 'UPDATE poller SET runner = NULL WHERE id = ? AND fence = ?';
          for (const { id, fence } of lost) database.run(sql, [id, fence]);
        });
      }
      return stands.flatMap(({ id, fence }) => (fences.get(id) === fence ? [id] : []));
    },

    async count() {
      // SQLite counts the rows of a table without reading them, but not those of a range, and almost all pollers are kept.
      const sql = 'SELECT (SELECT COUNT(*) FROM poller) - (SELECT COUNT(*) FROM poller WHERE kept_until <= ?) AS count';
      return database.get<{ count: number }>(sql, [runtime.now()])?.count ?? 0;
    },

    async woken(process) {
      const where = 'WHERE runner = ? AND woken = 1';
      if (!database.get(`SELECT 1 AS found FROM poller ${where}`, [process])) return [];
      return group.add(() => {
        const woken = database.all<{ id: string }>(`SELECT id FROM poller ${where}`, [process]);
        database.run(`UPDATE poller SET woken = 0 ${where}`, [process]);
        return woken.map(({ id }) => id);
      });
    },

    stop: ({ account, id, fence, sealed }, reason) =>
      group.add(() => {
        const sql = `UPDATE poller SET stopped = ?, unreachable = NULL
          WHERE id = ? AND account = ? AND fence = ? AND sealed = ?`;
        return database.run(sql, [reason, id, account, fence, sealed]) === 1;
      }),

    setUnreachable: ({ account, id, fence, sealed }, unreachable) =>
      group.add(() => {
        const sql = 'UPDATE poller SET unreachable = ? WHERE id = ? AND account = ? AND fence = ? AND sealed = ?';
        return database.run(sql, [unreachable, id, account, fence, sealed]) === 1;
      }),

    async listAll(limit, after = '') {
      const sql = `SELECT ${pollerColumns} FROM poller WHERE id > ? AND kept_until > ? ORDER BY id LIMIT ?`;
      return database.all<PollerRow>(sql, [after, runtime.now(), limit]).map(toPoller);
    },

    reseal: ({ account, id, sealed, unreachable }, previous) =>
      group.add(() => {
        const sql =
          'UPDATE poller SET sealed = ?, unreachable = ?, woken = 1 WHERE id = ? AND account = ? AND sealed = ?';
        return database.run(sql, [sealed, unreachable, id, account, previous]) === 1;
      }),

    renew: ({ account, id, sealed }) =>
      group.add(() => {
        const sql = `UPDATE poller SET sealed = coalesce(?, sealed), stopped = NULL, unreachable = NULL, woken = 1
          WHERE id = ? AND account = ?`;
        database.run(sql, [sealed ?? null, id, account]);
      }),
  };
}
