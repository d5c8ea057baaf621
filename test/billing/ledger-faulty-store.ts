import {
  type CommitOutcome,
  type LedgerCommit,
  type LedgerStore,
  StoreUnavailableError,
} from '../../src/store/port.ts';

/**
 * The result of one attempt to send a commit: it is acknowledged (`ok`), it never arrives (`lost`), it arrives but the acknowledgement is
 * lost (`deaf`), or it hangs until `letGo` and then arrives.
 */
export type StoreAttemptFault = 'ok' | 'lost' | 'deaf' | 'hang';

export interface FaultyStore extends LedgerStore {
  /** The result of all attempts from now on, or a function that selects it. */
  fate: StoreAttemptFault | ((commit: LedgerCommit) => StoreAttemptFault);
  /** All attempts as they were sent. */
  readonly attempts: LedgerCommit[];
  /** Lets hanging attempts continue. */
  letGo(): void;
}

/** A ledger store behind an unreliable network. */
export function faultyStore(inner: LedgerStore): FaultyStore {
  let hanging: (() => void)[] = [];
  const store: FaultyStore = {
    fate: 'ok',
    attempts: [],
    letGo() {
      const all = hanging;
      hanging = [];
      for (const go of all) go();
    },
    async commit(commit): Promise<CommitOutcome> {
      store.attempts.push(structuredClone(commit));
      const fate = typeof store.fate === 'string' ? store.fate : store.fate(commit);
      if (fate === 'lost') throw new StoreUnavailableError('the request was lost');
      if (fate === 'hang') await new Promise<void>((resolve) => hanging.push(resolve));
      const outcome = await inner.commit(commit);
      if (fate === 'deaf') throw new StoreUnavailableError('the answer was lost');
      return outcome;
    },
    topUp: (topUp) => inner.topUp(topUp),
    sweep: () => inner.sweep(),
    balance: (account) => inner.balance(account),
    usage: (account, from, to) => inner.usage(account, from, to),
    payments: (account, limit, after) => inner.payments(account, limit, after),
  };
  return store;
}
