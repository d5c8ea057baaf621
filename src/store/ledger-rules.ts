import type { AccountEventType } from '../shared/model/event.ts';
import type { Micros } from '../shared/model/money.ts';
import {
  type ChargedResponse,
  commitLifeMs,
  idempotencyTtlMs,
  type KeyBudget,
  type LedgerCommit,
  type Settlement,
  type SettlementOutcome,
  type UsageLine,
} from './port.ts';

/** The money of an account within a transaction. */
export interface Credit {
  paid: Micros;
  charged: Micros;
  avail: Micros;
}

/** The charges of an API key in a UTC day, counted in days since the Unix epoch. */
export interface KeyCharges {
  day: number;
  micros: Micros;
}

/** The stored charges and open credit of an API key with a budget. An adapter reads them for a commit of this key. */
export interface KeyUse {
  /** The last day with charges. `null` if there is none. */
  charges: KeyCharges | null;
  /** The sum of the open credit in all holds of the key. */
  open: Micros;
}

export const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** Returns the present hour, and the first one of which responses may still be kept, in hours since the Unix epoch. */
export function keptHours(now: number): { hour: number; first: number } {
  const hour = Math.floor(now / hourMs);
  return { hour, first: hour - idempotencyTtlMs / hourMs };
}

/** Returns true if a commit has a response that counts towards a limit. */
export function hasCountedAnswer({ settle, late }: LedgerCommit): boolean {
  return [...settle, ...late].some(({ answer }) => answer?.limit !== undefined);
}

export interface Applied {
  status: 'applied';
  credit: Credit;
  /** The open credit of the hold. If it is 0, the hold is deleted. */
  open: Micros;
  granted: (boolean | 'over_budget')[];
  settled: SettlementOutcome[];
  late: SettlementOutcome[];
  left: Micros;
  /** The usage to add, one line for each hour and action. */
  usage: UsageLine[];
  /** The texts to store under the idempotency keys. */
  answers: Pick<ChargedResponse, 'key' | 'answer'>[];
  /** The bytes by which these texts increase the counted size of the account's kept responses. */
  keptBytes: number;
  /** The charges of the commit's key after this commit. `null` if they have not changed. */
  keyCharges: KeyCharges | null;
}

/**
 * Computes the effect of a commit with a new id on its account and hold. This function is pure: an adapter loads the data in a transaction,
 * calls this function, and stores the result. `open` is `null` if the writer has no hold of the commit's generation. `answered` contains
 * the commit's idempotency keys that already have a response. `now` is the store's clock. `use` is required if the
 * commit has a budget, and `keptBytes`, the counted size of the account's kept responses, if the commit has a response that counts. Throws if the commit takes more from its hold than the hold contains, because that is a defect of the writer.
 */
export function applyCommit(
  before: Credit,
  open: Micros | null,
  commit: LedgerCommit,
  answered: ReadonlySet<string>,
  now: number,
  use: KeyUse | null,
  keptBytes = 0,
): Applied | { status: 'swept' | 'expired' } {
  if (now - commit.createdAt > commitLifeMs) return { status: 'expired' };
  if (commit.begins === (open !== null)) return { status: 'swept' };
  const kept = (open ?? 0) - whole(commit.release) - sum(commit.settle.map(cost));
  if (kept < 0) throw new RangeError(`commit ${commit.id} takes more from its hold than the hold contains`);

  let avail = before.avail + commit.release;
  let charged = before.charged;
  let reserved = 0;
  const today = Math.floor(now / dayMs);
  // If the clock was set back over midnight, charges still belong to the later day. Otherwise the budget would begin again.
  const day = use?.charges?.day === today + 1 ? today + 1 : today;
  const chargedBefore = use?.charges?.day === day ? use.charges.micros : 0;
  let left = budgetLeft(commit.budget, use, chargedBefore) + commit.release;
  const performed: Settlement[] = [];
  const done = new Set(answered);
  const charge = (settlement: Settlement): 'charged' => {
    charged += cost(settlement);
    performed.push(settlement);
    if (settlement.answer) done.add(settlement.answer.key);
    return 'charged';
  };
  const isAnswered = ({ answer }: Settlement) => answer !== undefined && done.has(answer.key);
  const settled = commit.settle.map((settlement) => {
    if (!isAnswered(settlement)) return charge(settlement);
    avail += cost(settlement);
    left += cost(settlement);
    return 'answered';
  });
  const late = commit.late.map((settlement) => {
    if (isAnswered(settlement)) return 'answered';
    if (cost(settlement) > avail) return 'short';
    if (cost(settlement) > left) return 'over_budget';
    avail -= cost(settlement);
    left -= cost(settlement);
    return charge(settlement);
  });
  const granted = commit.reserve.map((micros) => {
    if (whole(micros) > avail) return false;
    if (micros > left) return 'over_budget';
    avail -= micros;
    left -= micros;
    reserved += micros;
    return true;
  });

  return {
    status: 'applied',
    credit: { paid: before.paid, charged, avail },
    open: kept + reserved,
    granted,
    settled,
    late,
    left: before.paid - charged,
    usage: mergeUsage(performed.flatMap((settlement) => settlement.usage)),
    ...fitAnswers(performed, keptBytes),
    keyCharges:
      commit.budget && charged > before.charged ? { day, micros: chargedBefore + charged - before.charged } : null,
  };
}

/** Chooses the texts to store. `before` is the counted size of the account's kept responses. */
function fitAnswers(performed: readonly Settlement[], before: number): Pick<Applied, 'answers' | 'keptBytes'> {
  let keptBytes = 0;
  const answers = performed.flatMap(({ answer: response }) => {
    if (!response) return [];
    const { key, answer, limit } = response;
    if (limit && before + keptBytes + answer.length > limit.bytes) return [{ key, answer: limit.brief }];
    if (limit) keptBytes += answer.length;
    return [{ key, answer }];
  });
  return { answers, keptBytes };
}

/** Returns the amount that may still be reserved and charged for the key of a commit. Infinity if the commit has no budget. */
function budgetLeft(budget: KeyBudget | undefined, use: KeyUse | null, charged: Micros): Micros {
  if (!budget) return Number.POSITIVE_INFINITY;
  if (!use) throw new Error(`the use of the key ${budget.key} is unknown`);
  return budget.microsPerDay - charged - use.open;
}

/**
 * Returns the credit after a commit that takes it below the threshold. Returns `null` for all other commits. The credit includes reserved
 * credit, so that only charges decide, and it can fall below the threshold again only after a payment.
 */
export function lowCreditAfter(before: Credit, after: Credit, threshold: Micros | null): Micros | null {
  if (threshold === null || before.paid - before.charged < threshold) return null;
  const credit = after.paid - after.charged;
  return credit < threshold ? credit : null;
}

export const lowCreditType: AccountEventType = 'account.low_credit';

/** Returns the id of the event for a commit that took the credit below the threshold. */
export function lowCreditId({ id }: Pick<LedgerCommit, 'id'>): string {
  return `evt_${id}`;
}

/** Computes the effect of a payment on its account. */
export function applyTopUp(before: Credit, micros: Micros): Credit {
  return { ...before, paid: whole(before.paid + whole(micros)), avail: before.avail + micros };
}

function cost(settlement: Settlement): Micros {
  return sum(settlement.usage.map((line) => whole(line.micros)));
}

function mergeUsage(lines: UsageLine[]): UsageLine[] {
  const merged = new Map<string, UsageLine>();
  for (const line of lines) {
    const key = `${line.hour} ${line.action}`;
    const known = merged.get(key);
    const platformMicros = whole(line.platformMicros ?? 0);
    if (known) {
      known.calls += whole(line.calls);
      known.micros += line.micros;
      known.platformMicros = (known.platformMicros ?? 0) + platformMicros;
    } else {
      const { hour, action, calls, micros } = line;
      merged.set(key, { hour, action, calls: whole(calls), micros, platformMicros });
    }
  }
  return [...merged.values()];
}

function sum(amounts: Micros[]): Micros {
  return amounts.reduce((total, micros) => total + micros, 0);
}

function whole(amount: number): number {
  if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError(`not an integer amount: ${amount}`);
  return amount;
}
