import type { Runtime } from '../../shared/runtime/runtime.ts';
import { type AccountRecord, type AccountStore, type AuditEntry, type Balance, revocationTtlMs } from '../port.ts';
import { pollerOfAccount } from './account-events.ts';
import { addAudit } from './audit.ts';
import type { Database } from './database.ts';

interface AccountRow {
  id: string;
  name: string;
  created_at: number;
  rate_limit: number | null;
  low_credit_threshold: number | null;
  deleted_at: number | null;
  paid: number;
  charged: number;
  avail: number;
  held: number;
}

const columns = 'id, name, created_at, rate_limit, low_credit_threshold, deleted_at';

export function sqliteAccounts(database: Database, runtime: Runtime): AccountStore {
  function set(
    id: string,
    column: 'name' | 'rate_limit' | 'low_credit_threshold',
    value: string | number | null,
    audit: AuditEntry | undefined,
  ): boolean {
    return database.transaction(() => {
      const update = `UPDATE account SET ${column} = ? WHERE id = ? AND ${column} IS NOT ?`;
      if (database.run(update, [value, id, value]) === 1) addAudit(database, audit);
      return database.get('SELECT 1 AS found FROM account WHERE id = ?', [id]) !== undefined;
    });
  }

  return {
    async create(account) {
      const changes = database.run(
        'INSERT INTO account (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
        [account.id, account.name, account.createdAt],
      );
      return changes === 1;
    },

    async find(id) {
      const row = database.get<AccountRow>(`SELECT ${columns} FROM account WHERE id = ?`, [id]);
      return row ? toAccount(row) : null;
    },

    rename: async (id, name, audit) => set(id, 'name', name, audit),

    setRateLimit: async (id, rateLimit, audit) => set(id, 'rate_limit', rateLimit, audit),

    setLowCreditThreshold: async (id, threshold, audit) => set(id, 'low_credit_threshold', threshold, audit),

    async list() {
      const rows = database.all<AccountRow>(
        `SELECT ${columns}, paid, charged, avail,
           (SELECT COALESCE(SUM(open), 0) FROM hold WHERE hold.account = account.id) AS held
         FROM account ORDER BY created_at, id`,
      );
      return rows.map((row) => ({ ...toAccount(row), ...balanceOfRow(row) }));
    },

    async markDeleted(id, at) {
      return database.transaction(() => {
        const cleared = "name = '', rate_limit = NULL, low_credit_threshold = NULL";
        database.run(`UPDATE account SET deleted_at = ?, ${cleared} WHERE id = ? AND deleted_at IS NULL`, [at, id]);
        const row = database.get<{ deleted_at: number }>('SELECT deleted_at FROM account WHERE id = ?', [id]);
        return row?.deleted_at ?? null;
      });
    },

    erase: async (id) => database.transaction(() => eraseBatch(database, id, runtime.now())),
  };
}

/** The tables that keep rows of a deleted account. */
const kept: readonly string[] = ['account', 'usage', 'payment', 'hold', 'ledger_commit', 'connection'];
/** The tables that have no index by account, and pollers, which must outlive their events. */
const erasedByPoller: readonly string[] = ['event', 'delivery', 'poller'];
const eraseBatchSize = 500;
/** The number of events in a batch. Each may have many deliveries. */
const erasedEvents = 50;

function eraseBatch(database: Database, account: string, now: number): number {
  const limited = (table: string, where: string) =>
    `(SELECT ${rowKey(database, table)} FROM "${table}" WHERE ${where} LIMIT ${eraseBatchSize})`;
  const erase = (table: string, where: string, values: readonly string[]) =>
    database.run(`DELETE FROM "${table}" WHERE (${rowKey(database, table)}) IN ${limited(table, where)}`, values);
  // The rows of key_charges name no account.
  let erased = erase('key_charges', 'key IN (SELECT id FROM api_key WHERE account = ?)', [account]);
  for (const table of ['api_key', ...tablesOfAccounts(database)]) erased += erase(table, 'account = ?', [account]);
  const described = "account = ? AND description <> ''";
  erased += database.run(`UPDATE payment SET description = '' WHERE id IN ${limited('payment', described)}`, [account]);
  erased += eraseConnections(database, account, now);
  return erased + (eraseEvents(database, account) || erase('poller', 'account = ?', [account]));
}

/** Marks the logins as deleted, so that they are revoked at the platform, and deletes the connections without one. */
function eraseConnections(database: Database, account: string, now: number): number {
  const change = `json_set(record, '$.revokeAt', ?, '$.goneAt', ?, '$.userId', NULL, '$.signIn', NULL, '$.signInEndsAt', NULL)`;
  const marked = database.run(
    `UPDATE connection SET record = ${change}, revoke_at = ?, revision = revision + 1
     WHERE account = ? AND revoke_at IS NULL AND record ->> 'login' IS NOT NULL`,
    [now, now + revocationTtlMs, now, account],
  );
  return marked + database.run('DELETE FROM connection WHERE account = ? AND revoke_at IS NULL', [account]);
}

/** Deletes a batch of events with their deliveries. Returns the number of rows. */
function eraseEvents(database: Database, account: string): number {
  const events = database.all<{ number: number; id: string }>(
    `SELECT number, id FROM event
     WHERE poller IN (SELECT id FROM poller WHERE account = ? UNION ALL SELECT ?) AND account = ? LIMIT ${erasedEvents}`,
    [account, pollerOfAccount(account), account],
  );
  let erased = 0;
  for (const { number, id } of events) {
    erased += database.run('DELETE FROM delivery WHERE event = ? AND account = ?', [id, account]);
    erased += database.run('DELETE FROM event WHERE number = ?', [number]);
  }
  return erased;
}

/** Returns all tables with a column `account` except those of the two lists, so that tables of later versions are erased too. */
function tablesOfAccounts(database: Database): string[] {
  const sql = `SELECT t.name AS name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
    WHERE t.type = 'table' AND c.name = 'account' ORDER BY t.name`;
  return database
    .all<{ name: string }>(sql)
    .flatMap(({ name }) => (kept.includes(name) || erasedByPoller.includes(name) ? [] : [name]));
}

/** Returns the columns of the primary key. */
function rowKey(database: Database, table: string): string {
  const sql = 'SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk';
  return database
    .all<{ name: string }>(sql, [table])
    .map(({ name }) => `"${name}"`)
    .join(', ');
}

function toAccount(row: AccountRow): AccountRecord {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    rateLimit: row.rate_limit,
    lowCreditThreshold: row.low_credit_threshold,
    deletedAt: row.deleted_at,
  };
}

export function balanceOfRow(row: Balance): Balance {
  return { paid: row.paid, charged: row.charged, avail: row.avail, held: row.held };
}
