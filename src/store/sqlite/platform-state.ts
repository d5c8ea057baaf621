import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { PlatformStateStore } from '../port.ts';
import type { Database } from './database.ts';

export function sqlitePlatformState(database: Database, runtime: Runtime): PlatformStateStore {
  const read = (key: string) =>
    database.get<{ sealed: string }>('SELECT sealed FROM platform_state WHERE key = ? AND until > ?', [
      key,
      runtime.now(),
    ])?.sealed ?? null;
  return {
    read: async (key) => read(key),

    async write(key, sealed, previous, ttlMs) {
      return database.transaction(() => {
        const stored = read(key);
        if (stored !== previous) return stored ?? '';
        const now = runtime.now();
        database.run('DELETE FROM platform_state WHERE until <= ?', [now]);
        database.run(
          'INSERT INTO platform_state (key, sealed, until) VALUES (?, ?, ?) ' +
            'ON CONFLICT DO UPDATE SET sealed = excluded.sealed, until = excluded.until',
          [key, sealed, now + ttlMs],
        );
        return sealed;
      });
    },
  };
}
