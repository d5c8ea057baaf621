import type { Runtime } from '../../shared/runtime/runtime.ts';
import { liveRange } from '../expiry.ts';
import { type ProcessStore, processTtlMs } from '../port.ts';
import type { Database } from './database.ts';

export function sqliteProcesses(database: Database, runtime: Runtime): ProcessStore {
  return {
    async beat(id) {
      const now = runtime.now();
      const { after, latest } = liveRange(now, processTtlMs);
      return database.transaction(() => {
        database.run('DELETE FROM process WHERE until <= ? OR until > ?', [after, latest]);
        database.run('INSERT INTO process (id, until) VALUES (?, ?) ON CONFLICT DO UPDATE SET until = excluded.until', [
          id,
          now + processTtlMs,
        ]);
        return database.get<{ live: number }>('SELECT COUNT(*) AS live FROM process')?.live ?? 1;
      });
    },

    async leave(id) {
      database.run('DELETE FROM process WHERE id = ?', [id]);
    },
  };
}
