import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import {
  type DeliveryResult,
  type DeliveryStore,
  eventTtlMs,
  type LoggedAttempt,
  loggedAttempts,
  type PollerReference,
} from '../port.ts';
import { deliveryOutcomes } from '../webhook-rules.ts';
import type { Database } from './database.ts';
import { type DeliveryRow, deliveryColumns, toDelivery } from './delivery-rows.ts';
import type { WriteGroup } from './group.ts';
import { pollerRows } from './poller-rows.ts';

/** The number of rows in one transaction. */
const batchSize = 500;

export function sqliteDeliveries(database: Database, group: WriteGroup, runtime: Runtime): DeliveryStore {
  const pollers = pollerRows(database);

  function finish(poller: PollerReference, results: readonly DeliveryResult[]): 'noted' | 'superseded' {
    if (pollers.fenced(poller) === null) return 'superseded';
    const stored: DeliveryResult[] = [];
    for (const result of results) {
      const { event, webhook, state, attempts, nextAt, last, exchange } = result;
      const attempt = JSON.stringify({ attempt: attempts, ...last, exchange } satisfies LoggedAttempt);
      const changes = database.run(
        `UPDATE delivery SET state = ?, attempts = ?, next_at = ?, replayed = replayed AND ? = 'waiting', last_at = ?,
           duration_ms = ?, response_code = ?, error = ?,
           log = CASE WHEN log IS NULL THEN ? ELSE
             json_insert(CASE WHEN json_array_length(log) >= ? THEN json_remove(log, '$[0]') ELSE log END, '$[#]', json(?)) END
         WHERE event = ? AND webhook = ? AND account = ? AND CASE ?
           WHEN 'delivered' THEN NOT EXISTS (SELECT 1 FROM json_each(log) WHERE value ->> 'attempt' = ? AND value ->> 'at' = ?
             AND value ->> 'responseCode' IS ?)
           ELSE state = 'waiting' AND attempts < ? END`,
        [
          ...[state, attempts, nextAt, state, last.at],
          ...[last.durationMs, last.responseCode, last.error, `[${attempt}]`, loggedAttempts, attempt],
          ...[event, webhook, poller.account, state],
          ...[attempts, last.at, last.responseCode, attempts],
        ],
      );
      if (changes === 1) stored.push(result);
    }
    for (const [webhook, { deliveredAt, failed }] of deliveryOutcomes(stored)) {
      if (deliveredAt !== null) {
        database.run(
          `UPDATE webhook SET last_delivery_at = MAX(COALESCE(last_delivery_at, 0), ?), undelivered_since = NULL,
             undelivered_error = NULL
           WHERE id = ?`,
          [deliveredAt, webhook],
        );
      } else {
        database.run(
          'UPDATE webhook SET undelivered_since = COALESCE(undelivered_since, ?), undelivered_error = ? WHERE id = ?',
          [failed.since, failed.error, webhook],
        );
      }
    }
    return 'noted';
  }

  return {
    async waiting(account, webhook, replayed, limit) {
      // + makes SQLite use the index that has this order: https://sqlite.org/optoverview.html
      const rows = database.all<DeliveryRow & { poller: string; place: number }>(
        `SELECT ${deliveryColumns}, d.poller AS poller, d.place AS place FROM delivery d
         WHERE d.webhook = ? AND d.replayed = ? AND d.state = 'waiting' AND d.account = ? AND +d.event_at > ?
         ORDER BY d.next_at, d.place LIMIT ?`,
        [webhook, Number(replayed), account, runtime.now() - eventTtlMs, limit],
      );
      return rows.map((row) => ({
        ...toDelivery(row),
        poller: row.poller,
        eventAt: row.event_at,
        place: row.place,
      }));
    },

    finish: (poller, results) => group.add(() => finish(poller, results)),

    async drop(account, webhook, poller) {
      const sql = `DELETE FROM delivery WHERE number IN
        (SELECT number FROM delivery WHERE webhook = ? AND account = ? AND poller = ? LIMIT ?)`;
      while ((await group.add(() => database.run(sql, [webhook, account, poller, batchSize]))) === batchSize)
        await nextTurn();
    },

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

    async find(account, webhook, event) {
      const row = database.get<DeliveryRow & { log: string | null }>(
        `SELECT ${deliveryColumns}, d.log AS log FROM delivery d
         WHERE d.event = ? AND d.webhook = ? AND d.account = ? AND d.event_at > ?`,
        [event, webhook, account, runtime.now() - eventTtlMs],
      );
      return row ? { delivery: toDelivery(row), attempts: JSON.parse(row.log ?? '[]') as LoggedAttempt[] } : null;
    },

    async queued(account, webhook, most) {
      const after = runtime.now() - eventTtlMs;
      // As in `waiting`, + makes SQLite use the index of the waiting deliveries.
      const rows = [0, 1].map((replayed) =>
        database.get<{ count: number; next: number | null }>(
          `SELECT COUNT(*) AS count, MIN(next_at) AS next FROM
             (SELECT next_at FROM delivery
              WHERE webhook = ? AND replayed = ? AND state = 'waiting' AND account = ? AND +event_at > ?
              ORDER BY next_at LIMIT ?)`,
          [webhook, replayed, account, after, most],
        ),
      );
      const count = rows.reduce((sum, row) => sum + (row?.count ?? 0), 0);
      const times = rows.flatMap((row) => row?.next ?? []);
      return { count: Math.min(count, most), nextAt: times.length > 0 ? Math.min(...times) : null };
    },

    async replay(account, webhook, { event = null, since = 0, failed = false } = {}) {
      const now = runtime.now();
      const from = Math.max(now - eventTtlMs, since - 1);
      let mark = { event_at: from, event: '\u{10ffff}' };
      let queued = 0;
      for (;;) {
        const batch = await group.add(() => {
          // `failed` is not part of the condition, so that a transaction reads few rows if few of them match.
          const rows = database.all<{ number: number; event_at: number; event: string; chosen: number }>(
            `SELECT number, event_at, event,
               ${failed ? "state = 'given_up' OR (state = 'waiting' AND attempts > 0)" : '1'} AS chosen FROM delivery
             WHERE webhook = ? AND account = ? AND (event_at, event) > (?, ?) ${event === null ? '' : 'AND event = ?'}
             ORDER BY event_at, event LIMIT ?`,
            [webhook, account, mark.event_at, mark.event, ...(event === null ? [] : [event]), batchSize],
          );
          for (const { number, chosen } of rows) {
            if (!chosen) continue;
            database.run(
              `UPDATE delivery SET state = 'waiting', attempts = 0, next_at = ?, replayed = 1
               WHERE number = ? AND (state <> 'waiting' OR attempts > 0)`,
              [now, number],
            );
          }
          if (rows.length < batchSize) pollers.wakeOf(account, webhook);
          return rows;
        });
        queued += batch.filter(({ chosen }) => chosen).length;
        mark = batch.at(-1) ?? mark;
        if (batch.length < batchSize) return queued;
        await nextTurn();
      }
    },

    async backlog() {
      const row = database.get<{ waiting: number | null; oldest: number | null }>(
        `SELECT SUM(d.waiting) AS waiting, MIN(d.oldest) AS oldest
         FROM (SELECT webhook, COUNT(*) AS waiting, MIN(next_at) AS oldest FROM delivery WHERE state = 'waiting' GROUP BY webhook) d
         JOIN webhook w ON w.id = d.webhook WHERE w.valid = 1 AND w.paused_at IS NULL`,
      );
      const oldest = row?.oldest ?? null;
      return { waiting: row?.waiting ?? 0, oldestDueAt: oldest !== null && oldest <= runtime.now() ? oldest : null };
    },
  };
}
