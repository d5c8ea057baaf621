import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { IdentifierStore } from '../port.ts';
import type { Database } from './database.ts';

export function sqliteIdentifiers(database: Database, runtime: Runtime): IdentifierStore {
  return {
    find: async (hash) =>
      database.get<{ identifier: string }>('SELECT identifier FROM identifier WHERE hash = ? AND until > ?', [
        hash,
        runtime.now(),
      ])?.identifier ?? null,

    async save(identifiers, ttlMs, maxCount) {
      database.transaction(() => {
        const now = runtime.now();
        database.run('DELETE FROM identifier WHERE until <= ?', [now]);
        for (const { hash, identifier } of identifiers) {
          database.run(
            'INSERT INTO identifier (hash, identifier, until) VALUES (?, ?, ?) ' +
              'ON CONFLICT DO UPDATE SET until = max(until, excluded.until)',
            [hash, identifier, now + ttlMs],
          );
        }
        database.run(
          'DELETE FROM identifier WHERE hash IN ' +
            '(SELECT hash FROM identifier ORDER BY until LIMIT max(0, (SELECT count(*) FROM identifier) - ?))',
          [maxCount],
        );
      });
    },
  };
}
