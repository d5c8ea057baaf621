import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { type Append, type EventStore, eventTtlMs, type LateDeliveries, type StoredEventRecord } from '../port.ts';
import type { Database } from './database.ts';
import type { WriteGroup } from './group.ts';
import { pollerRows } from './poller-rows.ts';

/** The number of rows in one transaction. */
const batchSize = 500;

export function sqliteEvents(database: Database, group: WriteGroup, runtime: Runtime): EventStore {
  const pollers = pollerRows(database);

  function append({ poller, cursor, events, deliveries, gap = false }: Append): 'appended' | 'superseded' {
    const { account, id: pollerId } = poller;
    let place = pollers.fenced(poller);
    if (place === null) return 'superseded';
    const now = runtime.now();
    const added = new Map<string, { place: number; type: string }>();
    for (const { id, type, sealed } of events) {
      const changes = database.run(
        `INSERT INTO event (id, account, poller, place, type, at, sealed) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (poller, id) DO NOTHING`,
        [id, account, pollerId, place + 1, type, now, sealed],
      );
      if (changes === 1) added.set(id, { place: ++place, type });
    }
    for (const { event, webhook } of deliveries) {
      const of = added.get(event);
      if (!of) continue;
      database.run(
        `INSERT INTO delivery (event, webhook, account, poller, place, type, event_at, next_at)
         SELECT ?, id, account, ?, ?, ?, ?, ? FROM webhook WHERE id = ? AND account = ?
         ON CONFLICT DO NOTHING`,
        [event, pollerId, of.place, of.type, now, now, webhook, account],
      );
    }
    database.run(
      'UPDATE poller SET cursor = ?, last_place = ?, appended_at = CASE WHEN ? > last_place THEN ? ELSE appended_at END WHERE id = ?',
      [cursor, place, place, now, pollerId],
    );
    if (gap && added.size > 0) database.run('UPDATE poller SET gap_at = ? WHERE id = ?', [now, pollerId]);
    return 'appended';
  }

  function queueLate({ poller, events, deliveries }: LateDeliveries): 'queued' | 'superseded' {
    if (pollers.fenced(poller) === null) return 'superseded';
    const { account, id: pollerId } = poller;
    for (const { id, sealed } of events) {
      database.run('UPDATE event SET sealed = ? WHERE poller = ? AND id = ?', [sealed, pollerId, id]);
    }
    for (const { event, webhook } of deliveries) {
      database.run(
        `INSERT INTO delivery (event, webhook, account, poller, place, type, event_at, next_at)
         SELECT e.id, w.id, e.account, e.poller, e.place, e.type, e.at, ? FROM event e, webhook w
         WHERE e.poller = ? AND e.id = ? AND w.id = ? AND w.account = ?
         ON CONFLICT DO NOTHING`,
        [runtime.now(), pollerId, event, webhook, account],
      );
    }
    return 'queued';
  }

  function sweepBatch(): number {
    const until = runtime.now() - eventTtlMs;
    const sql = 'SELECT number, id, account FROM event WHERE at <= ? ORDER BY at LIMIT ?';
    const events = database.all<{ number: number; id: string; account: string }>(sql, [until, batchSize]);
    for (const { number, id, account } of events) {
      // Another poller of the account may have stored the same event later, so newer deliveries are kept.
      database.run('DELETE FROM delivery WHERE event = ? AND account = ? AND event_at <= ?', [id, account, until]);
      database.run('DELETE FROM event WHERE number = ?', [number]);
    }
    return events.length;
  }

  return {
    append: (one) => group.add(() => append(one)),
    queueLate: (late) => group.add(() => queueLate(late)),

    async after(account, poller, place, limit, maxChars = Number.POSITIVE_INFINITY) {
      const where = 'FROM event WHERE poller = ? AND place > ? AND account = ? AND at > ? ORDER BY place LIMIT ?';
      const values = [poller, place, account, runtime.now() - eventTtlMs];
      // Encrypted characters have one byte each. SQLite knows the size of a text without reading it.
      const sizes = database.all<{ size: number }>(`SELECT octet_length(sealed) AS size ${where}`, [...values, limit]);
      let [count, chars] = [0, 0];
      for (const { size } of sizes) {
        count += 1;
        chars += size;
        if (chars >= maxChars) break;
      }
      return database
        .all<StoredEventRecord>(`SELECT id, type, at, sealed, place ${where}`, [...values, count])
        .map(({ id, type, at, sealed, place }) => ({ id, type, at, sealed, place }));
    },

    async place(account, poller, event) {
      const sql = 'SELECT place, at FROM event WHERE poller = ? AND id = ? AND account = ? AND at > ?';
      const kept = [poller, event, account, runtime.now() - eventTtlMs];
      const row = database.get<{ place: number; at: number }>(sql, kept);
      return row ? { place: row.place, at: row.at } : null;
    },

    async sealed(account, poller, event) {
      const sql = 'SELECT sealed FROM event WHERE poller = ? AND id = ? AND account = ?';
      return database.get<{ sealed: string }>(sql, [poller, event, account])?.sealed ?? null;
    },

    async lastPlace(account, poller) {
      const sql = 'SELECT last_place FROM poller WHERE id = ? AND account = ?';
      return database.get<{ last_place: number }>(sql, [poller, account])?.last_place ?? 0;
    },

    async sweep() {
      let forgotten = 0;
      for (;;) {
        const batch = await group.add(sweepBatch);
        forgotten += batch;
        if (batch < batchSize) break;
        await nextTurn();
      }
      // Pollers are deleted after their events, because a new poller would use the same positions again.
      await group.add(() => {
        const now = runtime.now();
        database.run('DELETE FROM poller WHERE kept_until <= ? AND appended_at <= ?', [now, now - eventTtlMs]);
      });
      return forgotten;
    },
  };
}
