import { type CommitOutcome, type LedgerCommit, type Store, StoreUnavailableError } from '../../src/store/port.ts';

/** Repeats an operation until the store reports its outcome. `endsWith` returns true for errors of the store that end the repetition. */
export async function untilKnown<Result>(
  operation: () => Promise<Result>,
  endsWith: (error: StoreUnavailableError) => boolean = () => false,
): Promise<Result> {
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || endsWith(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/**
 * Repeats a commit until the store reports its outcome. Many commits of one account at the same time may take longer on a slow machine
 * than a store waits for one of them.
 */
export function commitUntilKnown({ ledger }: Store, commit: LedgerCommit): Promise<CommitOutcome> {
  return untilKnown(() => ledger.commit(commit));
}
