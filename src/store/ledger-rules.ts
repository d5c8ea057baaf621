import type { Micros } from '../shared/model/money.ts';
import {
  commitLifeMs,
  type LedgerCommit,
  type SavedAnswer,
  type Settlement,
  type SettlementOutcome,
  type UsageLine,
} from './port.ts';

/** An account's money as it stands in the transaction. */
export interface Credit {
  paid: Micros;
  charged: Micros;
  avail: Micros;
}

export interface Applied {
  status: 'applied';
  credit: Credit;
  /** What the hold has open now; at 0 its row goes. */
  open: Micros;
  granted: boolean[];
  settled: SettlementOutcome[];
  late: SettlementOutcome[];
  left: Micros;
  /** What to add to usage, one line for each hour and action. */
  usage: UsageLine[];
  answers: SavedAnswer[];
}

/**
 * What a commit whose id is not known does to its account and hold. Pure: an adapter loads both in a transaction, asks
 * here, and saves what comes back. `open` is `null` where the writer has no hold of the commit's generation; `answered`
 * are those of the commit's idempotency keys that have an answer; `now` is the store's clock.
 *
 * A commit that takes more out of its hold than the hold has is a fault of the writer, thrown before anything is saved.
 */
export function applyCommit(
  before: Credit,
  open: Micros | null,
  commit: LedgerCommit,
  answered: ReadonlySet<string>,
  now: number,
): Applied | { status: 'swept' | 'expired' } {
  if (now - commit.createdAt > commitLifeMs) return { status: 'expired' };
  if (commit.begins === (open !== null)) return { status: 'swept' };
  const kept = (open ?? 0) - whole(commit.release) - sum(commit.settle.map(cost));
  if (kept < 0) throw new RangeError(`commit ${commit.id} takes more out of its hold than the hold has open`);

  let avail = before.avail + commit.release;
  let charged = before.charged;
  let reserved = 0;
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
    return 'answered';
  });
  const late = commit.late.map((settlement) => {
    if (isAnswered(settlement)) return 'answered';
    if (cost(settlement) > avail) return 'short';
    avail -= cost(settlement);
    return charge(settlement);
  });
  const granted = commit.reserve.map((micros) => {
    if (whole(micros) > avail) return false;
    avail -= micros;
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
    answers: performed.flatMap(({ answer }) => (answer ? [answer] : [])),
  };
}

/** What a payment does to its account. */
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
    if (known) {
      known.calls += whole(line.calls);
      known.micros += line.micros;
    } else {
      merged.set(key, { hour: line.hour, action: line.action, calls: whole(line.calls), micros: line.micros });
    }
  }
  return [...merged.values()];
}

function sum(amounts: Micros[]): Micros {
  return amounts.reduce((total, micros) => total + micros, 0);
}

function whole(amount: number): number {
  if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError(`not a whole amount: ${amount}`);
  return amount;
}
