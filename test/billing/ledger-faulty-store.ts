import {
  type CommitOutcome,
  type LedgerCommit,
  type LedgerStore,
  StoreUnavailableError,
} from '../../src/store/port.ts';

/**
 * What happens to one attempt of a commit: it arrives and is acknowledged; never arrives (`lost`); arrives, and the
 * acknowledgement is lost (`deaf`); or hangs until `letGo`, and arrives then.
 */
export type Fate = 'ok' | 'lost' | 'deaf' | 'hang';

export interface FaultyStore extends LedgerStore {
  /** The fate of every attempt from now on, or a choice for each. */
  fate: Fate | ((commit: LedgerCommit) => Fate);
  /** Every attempt, as it was sent. */
  readonly attempts: LedgerCommit[];
  /** Lets hanging attempts go on. */
  letGo(): void;
}

/** A ledger store behind a network that can fail in every way. */
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
