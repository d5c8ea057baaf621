import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { CallStatistics, CallStatisticsStore } from '../port.ts';
import { addStatistics, firstKeptHour } from '../statistics-rules.ts';
import type { Database } from './database.ts';
import type { WriteGroup } from './group.ts';

/** `errors` and `durations` are JSON. */
interface StatisticsRow {
  account: string;
  hour: number;
  action: string;
  errors: string;
  durations: string;
}

export function sqliteStatistics(database: Database, group: WriteGroup, runtime: Runtime): CallStatisticsStore {
  function add(added: CallStatistics): void {
    const { account, hour, action } = added;
    const row = database.get<StatisticsRow>(
      'SELECT account, hour, action, errors, durations FROM call_statistics WHERE account = ? AND hour = ? AND action = ?',
      [account, hour, action],
    );
    const { errors, durations } = row ? addStatistics(toStatistics(row), added) : added;
    database.run(
      `INSERT INTO call_statistics (account, hour, action, errors, durations) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET errors = excluded.errors, durations = excluded.durations`,
      [account, hour, action, JSON.stringify(errors), JSON.stringify(durations)],
    );
  }

  return {
    add: (statistics) =>
      group.add(() => {
        for (const one of statistics) add(one);
      }),

    async list(account, fromHour, toHour) {
      const rows = database.all<StatisticsRow>(
        `SELECT account, hour, action, errors, durations FROM call_statistics
         WHERE account = ? AND hour >= ? AND hour < ? ORDER BY hour, action`,
        [account, Math.max(fromHour, firstKeptHour(runtime.now())), toHour],
      );
      return rows.map(toStatistics);
    },
  };
}

function toStatistics({ account, hour, action, errors, durations }: StatisticsRow): CallStatistics {
  return { account, hour, action, errors: JSON.parse(errors), durations: JSON.parse(durations) };
}
