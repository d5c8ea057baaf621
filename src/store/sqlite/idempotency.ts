import type { Runtime } from '../../shared/runtime/runtime.ts';
import { hasExpired } from '../expiry.ts';
import { type ClaimOutcome, type ClaimRequest, claimTtlMs, type IdempotencyStore, idempotencyTtlMs } from '../port.ts';
import type { Database } from './database.ts';
import type { WriteGroup } from './group.ts';

interface ClaimRow {
  since: number;
  fingerprint: string;
  owner: string;
  until: number;
  answer: string | null;
}

export function sqliteIdempotency(database: Database, group: WriteGroup, runtime: Runtime): IdempotencyStore {
  const answers = savedAnswers(database);

  function claim({ account, key, owner, fingerprints }: ClaimRequest): ClaimOutcome {
    const now = runtime.now();
    const row = database.get<ClaimRow>(
      'SELECT since, fingerprint, owner, until, answer FROM idempotency WHERE account = ? AND key = ? AND since > ?',
      [account, key, now - idempotencyTtlMs],
    );
    const fingerprint = row?.fingerprint ?? fingerprints[0] ?? '';
    if (row && !fingerprints.includes(fingerprint)) return { status: 'mismatch', answer: row.answer };
    if (row && row.answer !== null) return { status: 'answered', answer: row.answer };
    if (row && !hasExpired(row.until, now, claimTtlMs) && row.owner !== owner) return { status: 'running' };
    const since = row?.since ?? now;
    database.run(
      `INSERT INTO idempotency (account, key, since, fingerprint, owner, until) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET since = excluded.since, fingerprint = excluded.fingerprint, owner = excluded.owner,
         until = excluded.until, answer = NULL, repetitions = 0`,
      [account, key, since, fingerprint, owner, now + claimTtlMs],
    );
    return { status: 'claimed', since, fingerprint, again: row !== undefined && row.owner !== owner };
  }

  const owned = 'account = ? AND key = ? AND owner = ? AND answer IS NULL';

  return {
    claim: (one) => group.add(() => claim(one)),

    renew: ({ account, key, owner }) =>
      group.add(() => {
        const until = runtime.now() + claimTtlMs;
        return database.run(`UPDATE idempotency SET until = ? WHERE ${owned}`, [until, account, key, owner]) === 1;
      }),

    end: ({ account, key, owner }, how) =>
      group.add(() => {
        if (how === 'forgotten') database.run(`DELETE FROM idempotency WHERE ${owned}`, [account, key, owner]);
        else database.run(`UPDATE idempotency SET until = 0 WHERE ${owned}`, [account, key, owner]);
      }),

    answer: ({ account, key }, answer) =>
      group.add(() => {
        const now = runtime.now();
        if (!answers.isAnswered(account, key, now)) answers.save(account, key, answer, now);
      }),

    repeat: (account, key) =>
      group.add(() => {
        const sql =
          'UPDATE idempotency SET repetitions = repetitions + 1 WHERE account = ? AND key = ? RETURNING repetitions';
        return database.get<{ repetitions: number }>(sql, [account, key])?.repetitions ?? 0;
      }),
  };
}

/** Reads and writes stored responses. The caller provides the transaction. */
export function savedAnswers(database: Database) {
  return {
    isAnswered(account: string, key: string, now: number): boolean {
      const sql =
        'SELECT 1 AS found FROM idempotency WHERE account = ? AND key = ? AND since > ? AND answer IS NOT NULL';
      return database.get(sql, [account, key, now - idempotencyTtlMs]) !== undefined;
    },

    save(account: string, key: string, answer: string, now: number): void {
      // If the claim expired while the call was running, the row is created without a fingerprint, which matches no request.
      database.run(
        `INSERT INTO idempotency (account, key, since, fingerprint, owner, until, answer) VALUES (?, ?, ?, '', '', 0, ?)
         ON CONFLICT DO UPDATE SET answer = excluded.answer`,
        [account, key, now, answer],
      );
    },
  };
}
