import type { AccountRecord, AccountStore, Balance } from '../port.ts';
import type { Database } from './database.ts';

interface AccountRow {
  id: string;
  name: string;
  created_at: number;
  rate_limit: number | null;
  paid: number;
  charged: number;
  avail: number;
  held: number;
}

export function sqliteAccounts(database: Database): AccountStore {
  return {
    async create(account) {
      const changes = database.run(
        'INSERT INTO account (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
        [account.id, account.name, account.createdAt],
      );
      return changes === 1;
    },

    async find(id) {
      const row = database.get<AccountRow>('SELECT id, name, created_at, rate_limit FROM account WHERE id = ?', [id]);
      return row ? toAccount(row) : null;
    },

    async setRateLimit(id, rateLimit) {
      return database.run('UPDATE account SET rate_limit = ? WHERE id = ?', [rateLimit, id]) === 1;
    },

    async list() {
      const rows = database.all<AccountRow>(
        `SELECT id, name, created_at, rate_limit, paid, charged, avail,
           (SELECT COALESCE(SUM(open), 0) FROM hold WHERE hold.account = account.id) AS held
         FROM account ORDER BY created_at, id`,
      );
      return rows.map((row) => ({ ...toAccount(row), ...toBalance(row) }));
    },
  };
}

function toAccount(row: AccountRow): AccountRecord {
  return { id: row.id, name: row.name, createdAt: row.created_at, rateLimit: row.rate_limit };
}

export function toBalance(row: Balance): Balance {
  return { paid: row.paid, charged: row.charged, avail: row.avail, held: row.held };
}
