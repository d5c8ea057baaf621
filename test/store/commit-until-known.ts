import { type CommitOutcome, type LedgerCommit, type Store, StoreUnavailableError } from '../../src/store/port.ts';

/**
 * Repeats a commit until the store reports its outcome. Many commits of one account at the same time may take longer on a slow machine
 * than a store waits for one of them.
 */
export async function commitUntilKnown({ ledger }: Store, commit: LedgerCommit): Promise<CommitOutcome> {
  for (;;) {
    try {
      return await ledger.commit(commit);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
