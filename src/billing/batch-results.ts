import type { Micros } from '../shared/model/money.ts';
import type { CommitOutcome } from '../store/port.ts';
import type { Batch, WaitingCallers } from './commit-queue.ts';
import { ledgerErrors } from './ledger-errors.ts';
import type { AnyPendingResult } from './pending-result.ts';

export type AppliedOutcome = Extract<CommitOutcome, { status: 'applied' }>;

/** Resolves the results of callers whose charges were part of an applied commit. */
export function answerSettlements(batch: Batch, outcome: AppliedOutcome): void {
  const entries = [...batch.settles, ...batch.lates, ...batch.reads];
  const outcomes = [...outcome.settled, ...outcome.late];
  const charged = entries.filter((_, index) => outcomes[index] === 'charged');
  // Each caller gets the credit after its own charge, as if the charges of the commit had been made one after the other.
  let remaining = outcome.left + total(charged);
  for (const { micros, caller } of charged) {
    remaining -= micros;
    caller.answer({ charged: micros, remaining });
  }
  const firstRead = entries.length - batch.reads.length;
  for (const [index, { micros, caller }] of entries.entries()) {
    if (outcomes[index] === 'answered') caller.answer(null);
    // Reads of a key with a budget are always reserved, so a charge over the budget is the charge of a lost reservation.
    else if (outcomes[index] === 'over_budget') caller.refuse(ledgerErrors.creditGone());
    else if (outcomes[index] === 'short') {
      caller.refuse(index < firstRead ? ledgerErrors.creditGone() : ledgerErrors.short(micros));
    }
  }
}

/**
 * Refuses overdue reservations, and overdue reads whose charge was not sent to the store. A caller is overdue if it has waited since `until` or
 * longer. Overdue callers that wait for released credit continue without it. All other callers keep waiting, because their calls have already run.
 */
export function refuseCreditRequests(waiting: readonly WaitingCallers[], until: number): void {
  const isOverdue = ({ caller }: { caller: AnyPendingResult }) => !caller.answered && caller.since <= until;
  for (const { reserves, returns, reads, isSent } of waiting) {
    for (const { caller } of [...reserves, ...(isSent ? [] : reads)].filter(isOverdue))
      caller.refuse(ledgerErrors.away());
    for (const { caller } of returns.filter(isOverdue)) caller.answer();
  }
}

/**
 * Ends the wait of all callers that have waited since `until` or longer. Callers that wait for released credit continue without it, and all
 * others are refused. Returns in `oldest` the time since which the longest-waiting remaining
 * caller waits; `null` if there is none.
 */
export function refuseOverdue(
  waiting: readonly WaitingCallers[],
  until: number,
  now: number,
): { oldest: number | null; refused: boolean } {
  let oldest: number | null = null;
  let refused = false;
  const visit = <Caller extends AnyPendingResult>(
    entries: readonly { caller: Caller }[],
    end: (caller: Caller) => void,
  ) => {
    for (const { caller } of entries) {
      if (caller.answered) continue;
      // The clock may have been set back.
      caller.since = Math.min(caller.since, now);
      if (caller.since <= until) {
        refused = true;
        end(caller);
      } else {
        oldest = Math.min(oldest ?? caller.since, caller.since);
      }
    }
  };
  for (const { reserves, returns, settles, lates, reads, isSent } of waiting) {
    visit(reserves, refuseAsAway);
    visit(returns, (caller) => caller.answer());
    visit(settles, refuseAsUnrecorded);
    visit(lates, refuseAsUnrecorded);
    visit(reads, isSent ? refuseAsUnrecorded : refuseAsAway);
  }
  return { oldest, refused };
}

const refuseAsAway = (caller: AnyPendingResult) => caller.refuse(ledgerErrors.away());
const refuseAsUnrecorded = (caller: AnyPendingResult) => caller.refuse(ledgerErrors.unrecorded());

export function total(entries: readonly { micros: Micros }[]): Micros {
  return entries.reduce((sum, { micros }) => sum + micros, 0);
}
