import { PosternError } from '../shared/errors/postern-error.ts';
import type { AccountBalance, AccountDetails, AccountUsage, Granularity, Payment } from '../shared/model/account.ts';
import { formatDollars, type Micros } from '../shared/model/money.ts';
import type { Page } from '../shared/model/page.ts';
import { formatIsoTime } from '../shared/model/time.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { PaymentMark, Store, UsageLine } from '../store/port.ts';
import type { Ledger } from './ledger.ts';

const hourMs = 3_600_000;
const hoursPerDay = 24;
const defaultUsageDays = 30;
const currency = 'USD';

interface UsageQuery {
  from?: string | undefined;
  to?: string | undefined;
  granularity: Granularity;
}

/** Serves an account's data to its owner (docs/rest.md, Account). */
export class AccountService {
  readonly #store: Store;
  readonly #ledger: Ledger;
  readonly #runtime: Runtime;

  constructor(store: Store, ledger: Ledger, runtime: Runtime) {
    this.#store = store;
    this.#ledger = ledger;
    this.#runtime = runtime;
  }

  async details(id: string): Promise<AccountDetails> {
    await this.#ledger.returned(id);
    const [account, balance, keys] = await Promise.all([
      this.#store.accounts.find(id),
      this.#store.ledger.balance(id),
      this.#store.keys.list(id),
    ]);
    if (!account || !balance) throw accountGone();
    return {
      id: account.id,
      name: account.name,
      created_at: formatIsoTime(account.createdAt),
      balance: formatDollars(balance.avail),
      currency,
      api_keys: keys.map((key) => ({
        id: key.id,
        name: key.name,
        prefix: key.prefix,
        created_at: formatIsoTime(key.createdAt),
        last_used_at: key.lastUsedAt === null ? null : formatIsoTime(key.lastUsedAt),
        revoked_at: key.revokedAt === null ? null : formatIsoTime(key.revokedAt),
      })),
    };
  }

  /** Waits until the store knows of credit given back by refused calls, because their responses did not wait for it. */
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
   * Returns the usage in whole hours, from the hour of `from` to the last hour that begins before `to`. With `day` the hours of each
   * UTC day are added up; the first and the last day may be incomplete.
   */
  async usage(id: string, query: UsageQuery): Promise<AccountUsage> {
    const to = query.to === undefined ? this.#runtime.now() : Date.parse(query.to);
    const from = query.from === undefined ? to - defaultUsageDays * hoursPerDay * hourMs : Date.parse(query.from);
    if (from >= to) throw new PosternError('malformed_field', 'Malformed field: from: must be before to');
    const lines = await this.#store.ledger.usage(id, Math.floor(from / hourMs), Math.ceil(to / hourMs));
    const total = { calls: 0, micros: 0 };
    for (const line of lines) {
      total.calls += line.calls;
      total.micros += line.micros;
    }
    return {
      from: formatIsoTime(from),
      to: formatIsoTime(to),
      granularity: query.granularity,
      total: { calls: total.calls, charged: formatDollars(total.micros) },
      usage: (query.granularity === 'day' ? byDay(lines) : lines).map((line) => ({
        period: formatIsoTime(line.hour * hourMs),
        endpoint: line.action,
        calls: line.calls,
        charged: formatDollars(line.micros),
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
}

/** Needs no checks, because cursors are sealed before callers get them. */
function readMark(cursor: string): PaymentMark {
  const [createdAt, id] = cursor.split(' ');
  return { createdAt: Number(createdAt), id: id ?? '' };
}

function byDay(lines: readonly UsageLine[]): UsageLine[] {
  const days = new Map<string, UsageLine>();
  for (const line of lines) {
    const hour = line.hour - (line.hour % hoursPerDay);
    const day = days.get(`${hour} ${line.action}`);
    if (day) {
      day.calls += line.calls;
      day.micros += line.micros;
    } else {
      days.set(`${hour} ${line.action}`, { ...line, hour });
    }
  }
  return [...days.values()].sort((a, b) => a.hour - b.hour || (a.action < b.action ? -1 : 1));
}

function accountGone(): PosternError {
  return new PosternError('account_gone', 'The account of this API key no longer exists');
}
