import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { type DeliveryResult, type DeliveryStore, eventTtlMs, type PollerReference } from '../port.ts';
import type { Database } from './database.ts';
import { type DeliveryRow, deliveryColumns, toDelivery } from './delivery-rows.ts';
import type { WriteGroup } from './group.ts';
import { pollerRows } from './poller-rows.ts';

/** Rows in one transaction. */
const batchSize = 500;

export function sqliteDeliveries(database: Database, group: WriteGroup, runtime: Runtime): DeliveryStore {
  const pollers = pollerRows(database);

  function finish(poller: PollerReference, results: readonly DeliveryResult[]): 'noted' | 'superseded' {
    if (pollers.fenced(poller) === null) return 'superseded';
    const deliveredAt = new Map<string, number>();
    for (const { event, webhook, state, attempts, nextAt, last } of results) {
      const changes = database.run(
        `UPDATE delivery SET state = ?, attempts = ?, next_at = ?, replayed = replayed AND ? = 'waiting', last_at = ?,
           duration_ms = ?, response_code = ?, error = ?, excerpt = ?
         WHERE event = ? AND webhook = ? AND account = ?
           AND (? = 'delivered' OR (state = 'waiting' AND attempts < ?))`,
        [
          ...[state, attempts, nextAt, state, last.at],
          ...[last.durationMs, last.responseCode, last.error, last.excerpt],
          ...[event, webhook, poller.account],
          ...[state, attempts],
        ],
      );
      if (changes === 1 && state === 'delivered') {
        deliveredAt.set(webhook, Math.max(last.at, deliveredAt.get(webhook) ?? 0));
      }
    }
    for (const [webhook, at] of deliveredAt) {
      const sql = 'UPDATE webhook SET last_delivery_at = MAX(COALESCE(last_delivery_at, 0), ?) WHERE id = ?';
      database.run(sql, [at, webhook]);
    }
    return 'noted';
  }

  return {
    async waiting(account, webhook, replayed, limit) {
      // CROSS JOIN and + keep SQLite to the index that is in this order: https://sqlite.org/optoverview.html
      const rows = database.all<DeliveryRow & { sealed: string; place: number }>(
        `SELECT ${deliveryColumns}, d.place AS place, e.sealed AS sealed
         FROM delivery d CROSS JOIN event e ON e.poller = d.poller AND e.id = d.event
         WHERE d.webhook = ? AND d.replayed = ? AND d.state = 'waiting' AND d.account = ? AND +d.event_at > ?
         ORDER BY d.next_at, d.place LIMIT ?`,
        [webhook, Number(replayed), account, runtime.now() - eventTtlMs, limit],
      );
      return rows.map((row) => ({
        ...toDelivery(row),
        ...{ sealed: row.sealed, eventAt: row.event_at, place: row.place },
      }));
    },

    finish: (poller, results) => group.add(() => finish(poller, results)),

    async list(account, webhook, limit, after) {
      const rows = database.all<DeliveryRow>(
        `SELECT ${deliveryColumns} FROM delivery d
         WHERE d.webhook = ? AND d.account = ? AND d.event_at > ?
           ${after ? 'AND (d.event_at, d.event) < (?, ?)' : ''}
         ORDER BY d.event_at DESC, d.event DESC LIMIT ?`,
        [webhook, account, runtime.now() - eventTtlMs, ...(after ? [after.at, after.event] : []), limit],
      );
      return rows.map((row) => ({ ...toDelivery(row), eventAt: row.event_at }));
    },

    async replay(account, webhook) {
      const now = runtime.now();
      let mark = { event_at: now - eventTtlMs, event: '\u{10ffff}' };
      let queued = 0;
      for (;;) {
        const batch = await group.add(() => {
          const found = database.all<{ number: number; event_at: number; event: string }>(
            `SELECT number, event_at, event FROM delivery
             WHERE webhook = ? AND account = ? AND (event_at, event) > (?, ?) ORDER BY event_at, event LIMIT ?`,
            [webhook, account, mark.event_at, mark.event, batchSize],
          );
          for (const { number } of found) {
            database.run(
              `UPDATE delivery SET state = 'waiting', attempts = 0, next_at = ?, replayed = 1
               WHERE number = ? AND (state <> 'waiting' OR attempts > 0)`,
              [now, number],
            );
          }
          if (found.length < batchSize) pollers.wakeOf(account, webhook);
          return found;
        });
        queued += batch.length;
        mark = batch.at(-1) ?? mark;
        if (batch.length < batchSize) return queued;
        await nextTurn();
      }
    },

    async giveUp(account, webhook, error) {
      const now = runtime.now();
      const end = () =>
        database.run(
          `UPDATE delivery SET state = 'given_up', next_at = NULL, replayed = 0, error = ?,
             last_at = COALESCE(last_at, ?)
           WHERE number IN
             (SELECT number FROM delivery WHERE webhook = ? AND state = 'waiting' AND account = ? LIMIT ?)`,
          [error, now, webhook, account, batchSize],
        );
      while ((await group.add(end)) === batchSize) await nextTurn();
    },

    async backlog() {
      const row = database.get<{ waiting: number; oldest: number | null }>(
        "SELECT COUNT(*) AS waiting, MIN(next_at) AS oldest FROM delivery WHERE state = 'waiting'",
      );
      const oldest = row?.oldest ?? null;
      return { waiting: row?.waiting ?? 0, oldestDueAt: oldest !== null && oldest <= runtime.now() ? oldest : null };
    },
  };
}
