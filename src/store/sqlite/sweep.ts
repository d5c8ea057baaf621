import { liveRange } from '../expiry.ts';
import { dayMs, keptHours } from '../ledger-rules.ts';
import { auditTtlMs, commitTtlMs, holdTtlMs, idempotencyTtlMs } from '../port.ts';
import { firstKeptHour } from '../statistics-rules.ts';
import type { Database } from './database.ts';

interface HoldRow {
  account: string;
  writer: string;
  generation: number;
  open: number;
}

/** The number of rows in one transaction. It is limited, so that a sweep after a long pause does not block the event loop. */
const batchSize = 1_000;

export interface SweptBatch {
  ended: number;
  /** True if the batch was full, so that there may be more rows. */
  more: boolean;
}

/**
 * Returns a function that runs one batch of a sweep: it returns the credit of expired holds and deletes expired rows. Must be called in a
 * transaction.
 */
export function sqliteSweep(database: Database): (now: number) => SweptBatch {
  /** Deletes a batch of expired rows. Returns true if there may be more. */
  const drop = (sql: string, before: number) => database.run(sql, [before, batchSize]) === batchSize;
  return (now) => {
    const { after, latest } = liveRange(now, holdTtlMs);
    const holds = database.all<HoldRow>(
      'SELECT account, writer, generation, open FROM hold WHERE until <= ? OR until > ? ORDER BY until LIMIT ?',
      [after, latest, batchSize],
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
      drop(
        `DELETE FROM kept_responses
         WHERE (account, hour) IN (SELECT account, hour FROM kept_responses WHERE hour < ? LIMIT ?)`,
        keptHours(now).first,
      ),
      drop(
        'DELETE FROM key_charges WHERE key IN (SELECT key FROM key_charges WHERE day < ? LIMIT ?)',
        Math.floor(now / dayMs),
      ),
      drop(
        'DELETE FROM audit WHERE (account, at, id) IN (SELECT account, at, id FROM audit WHERE at <= ? LIMIT ?)',
        now - auditTtlMs,
      ),
      // With another order of the columns, SQLite would look up rows by hour only.
      drop(
        `DELETE FROM call_statistics WHERE (account, hour, action) IN
           (SELECT account, hour, action FROM call_statistics WHERE hour < ? LIMIT ?)`,
        firstKeptHour(now),
      ),
    ];
    return { ended: holds.length, more: more.includes(true) };
  };
}
