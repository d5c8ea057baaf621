import { PosternError } from '../shared/errors/postern-error.ts';
import type { AccountBalance, AccountDetails, AccountUsage, Granularity, Payment } from '../shared/model/account.ts';
import type { AuditAuthor, AuditEntryView } from '../shared/model/audit.ts';
import { formatDollars, type Micros, parseDollars } from '../shared/model/money.ts';
import type { Page } from '../shared/model/page.ts';
import { formatIsoTime } from '../shared/model/time.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import {
  type AccountRecord,
  type AuditEntry,
  auditEntryOf,
  type CallStatistics,
  type PaymentMark,
  type Store,
  type UsageLine,
} from '../store/port.ts';
import { addStatistics } from '../store/statistics-rules.ts';
import { ApiKeyService } from './api-key-service.ts';
import type { CallRecorder } from './call-recorder.ts';
import { type DurationCounts, percentile } from './duration-histogram.ts';
import type { Ledger } from './ledger.ts';

const hourMs = 3_600_000;
const hoursPerDay = 24;
/** The maximum time span of a usage report, in days. */
const maxUsageDays = { hour: 31, day: 400 };
const defaultUsageDays = 30;
const currency = 'USD';

interface UsageQuery {
  from?: string | undefined;
  to?: string | undefined;
  granularity: Granularity;
}

export interface AccountServiceParts {
  store: Store;
  ledger: Ledger;
  recorder: CallRecorder;
  runtime: Runtime;
  /** The id of a key that cannot be revoked over the API. */
  publicKey: string | null;
}

/** Returns an account's data to its owner (docs/rest.md, Shapes). */
export class AccountService {
  readonly keys: ApiKeyService;
  readonly #store: Store;
  readonly #ledger: Ledger;
  readonly #recorder: CallRecorder;
  readonly #runtime: Runtime;

  constructor({ store, ledger, recorder, runtime, publicKey }: AccountServiceParts) {
    this.keys = new ApiKeyService(store, runtime, publicKey);
    this.#store = store;
    this.#ledger = ledger;
    this.#recorder = recorder;
    this.#runtime = runtime;
  }

  async details(id: string): Promise<AccountDetails> {
    await this.#ledger.returned(id);
    const [account, balance, keys] = await Promise.all([
      this.#store.accounts.find(id),
      this.#store.ledger.balance(id),
      this.keys.list(id),
    ]);
    if (!account || !balance) throw accountGone();
    return {
      id: account.id,
      name: account.name,
      created_at: formatIsoTime(account.createdAt),
      balance: formatDollars(balance.avail),
      currency,
      low_credit_threshold: account.lowCreditThreshold === null ? null : formatDollars(account.lowCreditThreshold),
      api_keys: keys,
    };
  }

  /** Sets the credit below which `account.low_credit` is sent. `threshold` is valid dollars; `null` for no event. */
  async setLowCreditThreshold(id: string, threshold: string | null, author: AuditAuthor): Promise<AccountDetails> {
    const micros = threshold === null ? null : parseDollars(threshold);
    const account = await this.#store.accounts.find(id);
    if (!account) throw accountGone();
    const details = { low_credit_threshold: micros === null ? 'none' : formatDollars(micros) };
    const entry = accountUpdated(this.#runtime, account, author, details);
    if (!(await this.#store.accounts.setLowCreditThreshold(id, micros, entry))) throw accountGone();
    return this.details(id);
  }

  /**
   * Waits until the store knows the credit that refused calls released, because the responses of these calls did not wait for the store. If the
   * store cannot be written, this credit is still held.
   */
  async balance(id: string): Promise<AccountBalance> {
    await this.#ledger.returned(id);
    const balance = await this.#store.ledger.balance(id);
    if (!balance) throw accountGone();
    return { balance: formatDollars(balance.avail), held: formatDollars(balance.held), currency };
  }

  /** Returns the credit that was paid and not charged yet, for the header `x-credits-remaining`. */
  async remaining(id: string): Promise<Micros> {
    const balance = await this.#store.ledger.balance(id);
    if (!balance) throw accountGone();
    return balance.avail + balance.held;
  }

  /**
   * Returns the usage in whole hours, from the hour of `from` to the last hour that begins before `to`. With `day`, adds up the hours of
   * each UTC day; the first and the last day may be incomplete. Errors and durations of other processes are complete up to their last batch
   * (`CallRecorder`).
   */
  async usage(id: string, query: UsageQuery): Promise<AccountUsage> {
    const to = query.to === undefined ? this.#runtime.now() : Date.parse(query.to);
    const from = query.from === undefined ? to - defaultUsageDays * hoursPerDay * hourMs : Date.parse(query.from);
    if (from >= to) throw new PosternError('malformed_field', 'Malformed field: from: must be before to');
    const maxDays = maxUsageDays[query.granularity];
    if (to - from > maxDays * hoursPerDay * hourMs) {
      const message = `Malformed field: from: must be at most ${maxDays} days before to, with granularity ${query.granularity}`;
      throw new PosternError('malformed_field', message);
    }
    const [fromHour, toHour] = [Math.floor(from / hourMs), Math.ceil(to / hourMs)];
    await this.#recorder.flush();
    const [lines, statistics] = await Promise.all([
      this.#store.ledger.usage(id, fromHour, toHour),
      this.#store.statistics.list(id, fromHour, toHour),
    ]);
    const total = { calls: 0, micros: 0, platformMicros: 0 };
    for (const line of lines) {
      total.calls += line.calls;
      total.micros += line.micros;
      total.platformMicros += line.platformMicros ?? 0;
    }
    return {
      from: formatIsoTime(from),
      to: formatIsoTime(to),
      granularity: query.granularity,
      total: {
        calls: total.calls,
        charged: formatDollars(total.micros),
        platform_cost: formatDollars(total.platformMicros),
      },
      usage: mergeUsage(lines, statistics, query.granularity === 'day' ? hoursPerDay : 1).map((row) => ({
        period: formatIsoTime(row.hour * hourMs),
        endpoint: row.action,
        calls: row.calls,
        charged: formatDollars(row.micros),
        platform_cost: formatDollars(row.platformMicros),
        errors: row.errors,
        duration_ms: describeDurations(row.durations),
      })),
    };
  }

  async payments(id: string, count: number, cursor: string | null): Promise<Page<Payment>> {
    const found = await this.#store.ledger.payments(id, count + 1, cursor === null ? undefined : readMark(cursor));
    const payments = found.slice(0, count);
    const last = payments.at(-1);
    return {
      items: payments.map((payment) => ({
        id: payment.id,
        amount: formatDollars(payment.micros),
        currency,
        created_at: formatIsoTime(payment.createdAt),
        description: payment.description,
      })),
      cursor: last && found.length > count ? `${last.createdAt} ${last.id}` : null,
    };
  }

  /** Returns the changes of keys, webhooks, credit and settings, newest first. */
  async audit(id: string, count: number, cursor: string | null): Promise<Page<AuditEntryView>> {
    const mark = cursor === null ? null : readMark(cursor);
    const found = await this.#store.audit.list(id, count + 1, mark ? { at: mark.createdAt, id: mark.id } : undefined);
    const entries = found.slice(0, count);
    const last = entries.at(-1);
    return {
      items: entries.map(viewOfEntry),
      cursor: last && found.length > count ? `${last.at} ${last.id}` : null,
    };
  }
}

/** Returns the audit entry for a change of a setting. `details` has the new value. */
export function accountUpdated(
  runtime: Runtime,
  { id, name }: AccountRecord,
  by: AuditAuthor,
  details: AuditEntry['details'],
): AuditEntry {
  const subject = { type: 'account', id, name } as const;
  return auditEntryOf(runtime, { account: id, action: 'account.updated', by, subject, details });
}

/** Returns an entry of the audit log for the owner of the account. */
export function viewOfEntry({ id, at, action, by, subject, details }: AuditEntry): AuditEntryView {
  const key = by.type === 'key' ? { key_id: by.id, key_name: by.name } : { key_id: null, key_name: null };
  return { id, at: formatIsoTime(at), action, by: { type: by.type, ...key }, subject, details: { ...details } };
}

/** Parses a cursor without validation, because cursors are encrypted before callers receive them. */
function readMark(cursor: string): PaymentMark {
  const [createdAt, id] = cursor.split(' ');
  return { createdAt: Number(createdAt), id: id ?? '' };
}

type UsageRow = Required<UsageLine> & Pick<CallStatistics, 'errors' | 'durations'>;

/** Adds up charges and statistics by action and period. A period has `hours` hours. */
function mergeUsage(lines: readonly UsageLine[], statistics: readonly CallStatistics[], hours: number): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  const rowOf = ({ hour, action }: Pick<UsageRow, 'hour' | 'action'>): UsageRow => {
    const start = hour - (hour % hours);
    const row = rows.get(`${start} ${action}`) ?? {
      hour: start,
      action,
      calls: 0,
      micros: 0,
      platformMicros: 0,
      errors: {},
      durations: {},
    };
    rows.set(`${start} ${action}`, row);
    return row;
  };
  for (const line of lines) {
    const row = rowOf(line);
    row.calls += line.calls;
    row.micros += line.micros;
    row.platformMicros += line.platformMicros ?? 0;
  }
  for (const each of statistics) addStatistics(rowOf(each), each);
  return [...rows.values()].sort((a, b) => a.hour - b.hour || (a.action < b.action ? -1 : 1));
}

function describeDurations(counts: DurationCounts) {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((fraction) => percentile(counts, fraction));
  if (p50 == null || p95 == null || p99 == null) return null;
  return { p50: toTenths(p50), p95: toTenths(p95), p99: toTenths(p99) };
}

function toTenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function accountGone(): PosternError {
  return new PosternError('account_gone', 'The account of this API key no longer exists');
}
