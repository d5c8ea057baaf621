import type { SecretCheckStore } from '../port.ts';
import type { Database } from './database.ts';

/** Queries for the latest rows of each table that has an encrypted column. */
const sealedIn = [
  'SELECT sealed FROM webhook ORDER BY created_at DESC LIMIT 2',
  'SELECT sealed FROM poller ORDER BY created_at DESC LIMIT 2',
  'SELECT sealed FROM event ORDER BY number DESC LIMIT 2',
  'SELECT sealed FROM platform_state ORDER BY until DESC LIMIT 2',
  `SELECT COALESCE(record ->> 'login', record ->> 'signIn') AS sealed FROM connection
   WHERE sealed IS NOT NULL ORDER BY created_at DESC LIMIT 2`,
  "SELECT answer AS sealed FROM idempotency WHERE answer <> '' ORDER BY since DESC LIMIT 2",
];

export function sqliteSecretCheck(database: Database): SecretCheckStore {
  const read = () =>
    database.get<{ value: string }>("SELECT value FROM meta WHERE name = 'secret_check'")?.value ?? null;
  return {
    read: async () => read(),

    async write(value, previous) {
      return database.transaction(() => {
        const stored = read();
        if (stored !== previous) return stored ?? '';
        database.run(
          "INSERT INTO meta (name, value) VALUES ('secret_check', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
          [value],
        );
        return value;
      });
    },

    async discardSealed() {
      database.transaction(() => {
        for (const table of [
          'webhook',
          'poller',
          'event',
          'delivery',
          'idempotency',
          'kept_responses',
          'platform_state',
          'connection',
          'account_event',
        ])
          database.run(`DELETE FROM ${table}`);
        database.run("DELETE FROM meta WHERE name = 'secret_check'");
      });
    },

    async samples() {
      return sealedIn.flatMap((query) => database.all<{ sealed: string }>(query).map(({ sealed }) => sealed));
    },
  };
}
