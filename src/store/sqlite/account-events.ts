import type { Runtime } from '../../shared/runtime/runtime.ts';
import { lowCreditType } from '../ledger-rules.ts';
import {
  type AccountEvent,
  type AccountEventStore,
  accountEventRow,
  eventTtlMs,
  type NewAccountEvent,
} from '../port.ts';
import type { Database } from './database.ts';
import type { WriteGroup } from './group.ts';
import { pollerRows } from './poller-rows.ts';

/** `amounts` is JSON. */
type AccountEventRow = Omit<AccountEvent, 'amounts'> & { amounts: string };

export function sqliteAccountEvents(database: Database, group: WriteGroup, runtime: Runtime): AccountEventStore {
  const pollers = pollerRows(database);

  function queue({ id, account, type, at }: AccountEvent, sealed: string, webhooks: readonly string[]): void {
    const ended = ['account_event', 'low_credit'].map((table) =>
      database.run(`DELETE FROM ${table} WHERE id = ?`, [id]),
    );
    if (!ended.includes(1)) return;
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
    const now = runtime.now();
    const streamed = 'account = ? AND kept_until > ? AND streamed_until > ?';
    const values = [account, now, now - eventTtlMs];
    database.run(
      `INSERT INTO event (id, account, poller, place, type, at, sealed)
       SELECT ?, account, id, last_place + 1, ?, ?, ? FROM poller WHERE ${streamed}`,
      [id, accountEventRow, now, sealed, ...values],
    );
    database.run(`UPDATE poller SET last_place = last_place + 1, appended_at = ? WHERE ${streamed}`, [now, ...values]);
  }

  return {
    add: (event) => group.add(() => addAccountEvent(database, runtime, event)),

    async waiting(limit) {
      const sql = `SELECT id, account, type, at, sealed, amounts FROM account_event
        UNION ALL SELECT id, account, '${lowCreditType}', at, NULL, json_object('credit', credit, 'threshold', threshold)
          FROM low_credit
        ORDER BY at, id LIMIT ?`;
      return database.all<AccountEventRow>(sql, [limit]).map(({ id, account, type, at, sealed, amounts }) => ({
        ...{ id, account, type, at, sealed },
        amounts: amounts && JSON.parse(amounts),
      }));
    },

    queue: (event, sealed, webhooks) => group.add(() => queue(event, sealed, webhooks)),
  };
}

/** See `AccountEventStore.add`. */
export function addAccountEvent(
  database: Database,
  runtime: Runtime,
  { id, account, type, sealed }: NewAccountEvent,
): void {
  database.run(
    `INSERT INTO account_event (id, account, type, at, sealed) SELECT ?, ?, ?, ?, ?
     WHERE NOT EXISTS (SELECT 1 FROM event WHERE poller = ? AND id = ?) ON CONFLICT DO NOTHING`,
    [id, account, type, runtime.now(), sealed, pollerOfAccount(account), id],
  );
}

/** Events of an account are also stored without a poller, for deliveries and for `add`. They have this id instead. */
export function pollerOfAccount(account: string): string {
  return `account ${account}`;
}
