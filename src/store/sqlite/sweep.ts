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

/** One batch of a sweep, to be run inside a transaction: holds until `now` given back, outcomes of before dropped. */
export function sqliteSweep(database: Database): (now: number, outcomesBefore: number) => SweptBatch {
  return (now, outcomesBefore) => {
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
    const dropped = database.run(
      'DELETE FROM ledger_commit WHERE id IN (SELECT id FROM ledger_commit WHERE at <= ? LIMIT ?)',
      [outcomesBefore, batchSize],
    );
    return { ended: holds.length, more: holds.length === batchSize || dropped === batchSize };
  };
}
