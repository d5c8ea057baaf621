import { commitTtlMs, idempotencyTtlMs } from '../port.ts';
import type { Database } from './database.ts';

interface HoldRow {
  account: string;
  writer: string;
  generation: number;
  open: number;
}

/** Rows in one transaction, so that a sweep after a long rest does not keep the event loop from its other work. */
const batchSize = 1_000;

export interface SweptBatch {
  ended: number;
  /** True where the batch was full and there may be more. */
  more: boolean;
}

/** One batch of a sweep, to be run inside a transaction: holds until `now` given back, what is kept for a time only dropped. */
export function sqliteSweep(database: Database): (now: number) => SweptBatch {
  /** Deletes a batch of what is too old; true where there may be more. */
  const drop = (sql: string, before: number) => database.run(sql, [before, batchSize]) === batchSize;
  return (now) => {
    const holds = database.all<HoldRow>(
      'SELECT account, writer, generation, open FROM hold WHERE until <= ? ORDER BY until LIMIT ?',
      [now, batchSize],
    );
    for (const { account, writer, generation, open } of holds) {
      database.run('UPDATE account SET avail = avail + ? WHERE id = ?', [open, account]);
      database.run('DELETE FROM hold WHERE account = ? AND writer = ? AND generation = ?', [
        account,
        writer,
        generation,
      ]);
    }
    const more = [
      holds.length === batchSize,
      drop(
        'DELETE FROM ledger_commit WHERE id IN (SELECT id FROM ledger_commit WHERE at <= ? LIMIT ?)',
        now - commitTtlMs,
      ),
      drop(
        `DELETE FROM idempotency
         WHERE (account, key) IN (SELECT account, key FROM idempotency WHERE since <= ? LIMIT ?)`,
        now - idempotencyTtlMs,
      ),
    ];
    return { ended: holds.length, more: more.includes(true) };
  };
}
