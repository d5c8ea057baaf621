import type { AccountEventStore, LowCreditEvent } from '../port.ts';
import type { Database } from './database.ts';
import type { WriteGroup } from './group.ts';
import { pollerRows } from './poller-rows.ts';

export function sqliteAccountEvents(database: Database, group: WriteGroup): AccountEventStore {
  const pollers = pollerRows(database);

  function queue({ id, account, at }: LowCreditEvent, type: string, sealed: string, webhooks: readonly string[]): void {
    if (database.run('DELETE FROM low_credit WHERE id = ?', [id]) === 0 || webhooks.length === 0) return;
    const poller = pollerOfAccount(account);
    const place = `(SELECT COALESCE(MAX(place), 0) + 1 FROM event WHERE poller = ?)`;
    database.run(
      `INSERT INTO event (id, account, poller, place, type, at, sealed) VALUES (?, ?, ?, ${place}, ?, ?, ?)`,
      [id, account, poller, poller, type, at, sealed],
    );
    for (const webhook of webhooks) {
      database.run(
        `INSERT INTO delivery (event, webhook, account, poller, place, type, event_at, next_at)
         SELECT e.id, w.id, e.account, e.poller, e.place, e.type, e.at, e.at FROM event e, webhook w
         WHERE e.poller = ? AND e.id = ? AND w.id = ? AND w.account = ?`,
        [poller, id, webhook, account],
      );
      pollers.wakeOf(account, webhook);
    }
  }

  return {
    async waiting(limit) {
      const sql = 'SELECT id, account, at, credit, threshold FROM low_credit ORDER BY at, id LIMIT ?';
      return database
        .all<LowCreditEvent>(sql, [limit])
        .map(({ id, account, at, credit, threshold }) => ({ id, account, at, credit, threshold }));
    },
    queue: (event, type, sealed, webhooks) => group.add(() => queue(event, type, sealed, webhooks)),
  };
}

/** Events of an account belong to no poller. They have this id instead, which no poller has, so that no live stream reads them. */
export function pollerOfAccount(account: string): string {
  return `account ${account}`;
}
