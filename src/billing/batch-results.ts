import type { Micros } from '../shared/model/money.ts';
import type { CommitOutcome } from '../store/port.ts';
import type { Batch, WaitingCallers } from './commit-queue.ts';
import { ledgerErrors } from './ledger-errors.ts';
import type { AnyPendingResult } from './pending-result.ts';

export type AppliedOutcome = Extract<CommitOutcome, { status: 'applied' }>;

/** Gives the callers that settled in an applied commit their results. */
export function answerSettlements(batch: Batch, outcome: AppliedOutcome): void {
  const entries = [...batch.settles, ...batch.lates];
  const outcomes = [...outcome.settled, ...outcome.late];
  const charged = entries.filter((_, index) => outcomes[index] === 'charged');
  // Each caller sees the credit that its own charge left, as if the charges of one commit had been made one by one.
  let remaining = outcome.left + total(charged);
  for (const { micros, caller } of charged) {
    remaining -= micros;
    caller.answer({ charged: micros, remaining });
  }
  for (const [index, { caller }] of entries.entries()) {
    if (outcomes[index] === 'answered') caller.answer(null);
    else if (outcomes[index] === 'short') caller.refuse(ledgerErrors.creditGone());
  }
}

/** Refuses callers that wait for credit since `until` or longer. Callers whose calls have already run go on waiting. */
export function refuseCreditRequests(waiting: readonly WaitingCallers[], until: number): void {
  for (const { reserves, returns } of waiting) {
    for (const { caller } of [...reserves, ...returns]) {
      if (!caller.answered && caller.since <= until) caller.refuse(ledgerErrors.away());
    }
  }
}

/**
 * Refuses all callers that wait since `until` or longer. `oldest`: since when the longest of the others waits; `null`: there
 * are none.
 */
export function refuseOverdue(
  waiting: readonly WaitingCallers[],
  until: number,
  now: number,
): { oldest: number | null; refused: boolean } {
  let oldest: number | null = null;
  let refused = false;
  const visit = (entries: readonly { caller: AnyPendingResult }[], refusal: () => Error) => {
    for (const { caller } of entries) {
      if (caller.answered) continue;
      // The clock may have been set back.
      caller.since = Math.min(caller.since, now);
      if (caller.since <= until) {
        refused = true;
        caller.refuse(refusal());
      } else {
        oldest = Math.min(oldest ?? caller.since, caller.since);
      }
    }
  };
  for (const { reserves, returns, settles, lates } of waiting) {
    visit(reserves, ledgerErrors.away);
    visit(returns, ledgerErrors.away);
    visit(settles, ledgerErrors.unrecorded);
    visit(lates, ledgerErrors.unrecorded);
  }
  return { oldest, refused };
}

export function total(entries: readonly { micros: Micros }[]): Micros {
  return entries.reduce((sum, { micros }) => sum + micros, 0);
}
