import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import {
  type Applied,
  applyCommit,
  applyTopUp,
  type Credit,
  hasCountedAnswer,
  type KeyCharges,
  type KeyUse,
  keptHours,
  lowCreditAfter,
  lowCreditId,
  lowCreditType,
} from '../ledger-rules.ts';
import {
  type AuditEntry,
  type Balance,
  type CommitOutcome,
  holdTtlMs,
  type LedgerCommit,
  type LedgerStore,
  type SettlementOutcome,
  type TopUp,
  type TopUpOutcome,
  type UsageLine,
} from '../port.ts';
import { balanceOfRow } from './accounts.ts';
import { addAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { WriteGroup } from './group.ts';
import { savedAnswers } from './idempotency.ts';
import { sqliteSweep } from './sweep.ts';

interface CommitRow extends Credit {
  open: number | null;
  low_credit_threshold: number | null;
  /** The results of this commit, if it was already applied; `granted` is `null` if it was not. */
  granted: string | null;
  settled: string;
  late: string;
  remaining: number;
}

interface PaymentRow {
  id: string;
  account: string;
  micros: number;
  description: string;
  created_at: number;
}

export function sqliteLedger(database: Database, group: WriteGroup, runtime: Runtime): LedgerStore {
  const answers = savedAnswers(database);
  const sweepBatch = sqliteSweep(database);

  function commit(commit: LedgerCommit): CommitOutcome {
    // One statement reads all data that the commit needs.
    const row = database.get<CommitRow>(
      `SELECT a.paid AS paid, a.charged AS charged, a.avail AS avail, a.low_credit_threshold AS low_credit_threshold, h.open AS open,
         c.granted AS granted, c.settled AS settled, c.late AS late, c.remaining AS remaining
       FROM account a
       LEFT JOIN hold h ON h.account = a.id AND h.writer = ? AND h.generation = ?
       LEFT JOIN ledger_commit c ON c.id = ?
       WHERE a.id = ?`,
      [commit.writer, commit.generation, commit.id, commit.account],
    );
    if (!row) return { status: 'no_account' };
    if (row.granted !== null) return keptOutcome(row, row.granted);
    const now = runtime.now();
    const keptBytes = hasCountedAnswer(commit) ? keptBytesOf(commit.account, now) : 0;
    const applied = applyCommit(row, row.open, commit, answeredKeys(commit, now), now, useOf(commit), keptBytes);
    if (applied.status !== 'applied') return { status: applied.status };
    save(commit, row, applied, now);
    const { status, granted, settled, late, left } = applied;
    return { status, granted, settled, late, left };
  }

  function answeredKeys(commit: LedgerCommit, now: number): Set<string> {
    const keys = [...commit.settle, ...commit.late].flatMap(({ answer }) => (answer ? [answer.key] : []));
    return new Set(keys.filter((key) => answers.isAnswered(commit.account, key, now)));
  }

  function keptBytesOf(account: string, now: number): number {
    const sql = 'SELECT COALESCE(SUM(bytes), 0) AS bytes FROM kept_responses WHERE account = ? AND hour >= ?';
    return database.get<{ bytes: number }>(sql, [account, keptHours(now).first])?.bytes ?? 0;
  }

  function useOf({ account, budget }: LedgerCommit): KeyUse | null {
    if (!budget) return null;
    const charges = database.get<KeyCharges>('SELECT day, micros FROM key_charges WHERE key = ?', [budget.key]);
    const held = 'SELECT COALESCE(SUM(open), 0) AS open FROM hold WHERE account = ? AND key = ?';
    return { charges: charges ?? null, open: database.get<{ open: number }>(held, [account, budget.key])?.open ?? 0 };
  }

  function save(commit: LedgerCommit, before: CommitRow, after: Applied, now: number): void {
    database.run(
      'INSERT INTO ledger_commit (id, account, at, granted, settled, late, remaining) VALUES (?, ?, ?, ?, ?, ?, ?)',
      [
        ...[commit.id, commit.account, now],
        ...[toMarks(after.granted), toDigits(after.settled), toDigits(after.late), after.left],
      ],
    );
    if (after.credit.charged !== before.charged || after.credit.avail !== before.avail) {
      saveCredit(commit.account, after.credit);
    }
    const { low_credit_threshold: threshold } = before;
    const low = lowCreditAfter(before, after.credit, threshold);
    if (low !== null) {
      database.run('INSERT INTO account_event (id, account, type, at, amounts) VALUES (?, ?, ?, ?, ?)', [
        ...[lowCreditId(commit), commit.account, lowCreditType, now],
        JSON.stringify({ credit: low, threshold }),
      ]);
    }
    const hold = [commit.account, commit.writer, commit.generation];
    if (after.open > 0) {
      database.run(
        `INSERT INTO hold (account, writer, generation, open, until, key) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET open = excluded.open, until = excluded.until`,
        [...hold, after.open, now + holdTtlMs, commit.budget?.key ?? null],
      );
    } else if (before.open !== null) {
      database.run('DELETE FROM hold WHERE account = ? AND writer = ? AND generation = ?', hold);
    }
    for (const line of after.usage) {
      database.run(
        `INSERT INTO usage (account, hour, action, calls, micros, platform_micros) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, micros = micros + excluded.micros,
           platform_micros = platform_micros + excluded.platform_micros`,
        [commit.account, line.hour, line.action, line.calls, line.micros, line.platformMicros ?? 0],
      );
    }
    if (commit.budget && after.keyCharges) {
      const { day, micros } = after.keyCharges;
      database.run(
        `INSERT INTO key_charges (key, day, micros) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET day = excluded.day, micros = excluded.micros`,
        [commit.budget.key, day, micros],
      );
    }
    for (const { key, answer } of after.answers) answers.save(commit.account, key, answer, now);
    if (after.keptBytes > 0) {
      database.run(
        `INSERT INTO kept_responses (account, hour, bytes) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes`,
        [commit.account, keptHours(now).hour, after.keptBytes],
      );
    }
  }

  function saveCredit(account: string, credit: Credit): void {
    database.run('UPDATE account SET paid = ?, charged = ?, avail = ? WHERE id = ?', [
      credit.paid,
      credit.charged,
      credit.avail,
      account,
    ]);
  }

  function topUp(topUp: TopUp, audit: AuditEntry | undefined): TopUpOutcome {
    const credit = database.get<Credit>('SELECT paid, charged, avail FROM account WHERE id = ?', [topUp.account]);
    if (!credit) return 'no_account';
    const added = database.run(
      'INSERT INTO payment (id, account, micros, description, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      [topUp.id, topUp.account, topUp.micros, topUp.description, topUp.createdAt],
    );
    if (added === 0) return 'already_applied';
    saveCredit(topUp.account, applyTopUp(credit, topUp.micros));
    addAudit(database, audit);
    return 'applied';
  }

  return {
    commit: (one) => group.add(() => commit(one)),
    topUp: (one, audit) => group.add(() => topUp(one, audit)),

    async sweep() {
      let ended = 0;
      for (;;) {
        const now = runtime.now();
        const batch = database.transaction(() => sweepBatch(now));
        ended += batch.ended;
        if (!batch.more) return ended;
        await nextTurn();
      }
    },

    async balance(account) {
      const row = database.get<Balance>(
        `SELECT paid, charged, avail, (SELECT COALESCE(SUM(open), 0) FROM hold WHERE account = ?) AS held
         FROM account WHERE id = ?`,
        [account, account],
      );
      return row ? balanceOfRow(row) : null;
    },

    async usage(account, fromHour, toHour) {
      const rows = database.all<UsageLine>(
        `SELECT hour, action, calls, micros, platform_micros AS platformMicros FROM usage
         WHERE account = ? AND hour >= ? AND hour < ? ORDER BY hour, action`,
        [account, fromHour, toHour],
      );
      return rows.map((row) => ({ ...row }));
    },

    async payments(account, limit, after) {
      const select = 'SELECT id, account, micros, description, created_at FROM payment WHERE account = ?';
      const order = 'ORDER BY created_at DESC, id DESC LIMIT ?';
      const rows = after
        ? database.all<PaymentRow>(`${select} AND (created_at, id) < (?, ?) ${order}`, [
            account,
            after.createdAt,
            after.id,
            limit,
          ])
        : database.all<PaymentRow>(`${select} ${order}`, [account, limit]);
      return rows.map((row) => ({
        id: row.id,
        account: row.account,
        micros: row.micros,
        description: row.description,
        createdAt: row.created_at,
      }));
    },
  };
}

function keptOutcome(row: CommitRow, granted: string): CommitOutcome {
  return {
    status: 'applied',
    granted: Array.from(granted, (mark) => (mark === '2' ? 'over_budget' : mark === '1')),
    settled: fromDigits(row.settled),
    late: fromDigits(row.late),
    left: row.remaining,
  };
}

/**
 * Encodes the results of reservations as text such as `101`, which is shorter than JSON and readable in a database shell: `0` refused, `1`
 * granted, `2` over the budget.
 */
function toMarks(granted: Applied['granted']): string {
  return granted.map((one) => (one === 'over_budget' ? '2' : Number(one))).join('');
}

const outcomes: readonly SettlementOutcome[] = ['short', 'charged', 'answered', 'over_budget'];

/** Encodes outcomes as digits: `0` short, `1` charged, `2` answered, `3` over the budget. */
function toDigits(list: SettlementOutcome[]): string {
  return list.map((outcome) => outcomes.indexOf(outcome)).join('');
}

function fromDigits(digits: string): SettlementOutcome[] {
  return Array.from(digits, (digit) => outcomes[Number(digit)] as SettlementOutcome);
}
