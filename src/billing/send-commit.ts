import { type Runtime, sleep } from '../shared/runtime/runtime.ts';
import type { CommitOutcome, LedgerStore } from '../store/port.ts';
import { type Batch, commitForAttempt } from './commit-queue.ts';
import type { CommitInfo, LedgerTimes } from './ledger-types.ts';

export interface CommitSenderContext {
  store: LedgerStore;
  runtime: Runtime;
  times: LedgerTimes;
  onCommit: (info: CommitInfo) => void;
}

export interface CommitSenderHooks {
  onAttempt: (at: number) => void;
  onFailure: () => void;
  stopped: () => boolean;
}

/**
 * Sends a commit to the store until its outcome is known. Every attempt has the same id, so the store applies one of them. Returns
 * `stopped` if an attempt failed and `hooks.stopped` returns true.
 */
export async function sendUntilOutcomeKnown(
  batch: Batch,
  context: CommitSenderContext,
  hooks: CommitSenderHooks,
): Promise<CommitOutcome | 'stopped'> {
  const { store, runtime, times } = context;
  let lastError: unknown;
  let pause = times.retryFirstMs;
  for (let attempt = 1; ; attempt++) {
    const sentAt = runtime.now();
    hooks.onAttempt(sentAt);
    const report = (outcome: CommitInfo['outcome'], { charged, chargedMicros }: Charges, error?: unknown) =>
      context.onCommit({
        account: batch.commit.account,
        outcome,
        attempt,
        durationMs: runtime.now() - sentAt,
        reserved: batch.reserves.length,
        settled: batch.settles.length,
        late: batch.lates.length,
        charged,
        chargedMicros,
        ...(error === undefined ? {} : { error }),
      });
    let outcome: CommitOutcome;
    try {
      outcome = await store.commit(commitForAttempt(batch));
    } catch (error) {
      lastError = error;
      hooks.onFailure();
      report('failed', noCharges, error);
      if (hooks.stopped()) return 'stopped';
      await sleep(runtime, pause);
      if (hooks.stopped()) return 'stopped';
      pause = Math.min(pause * 2, times.retryLastMs);
      continue;
    }
    if (outcome.status === 'expired') report('abandoned', noCharges, lastError);
    else report(outcome.status, outcome.status === 'applied' ? chargesIn(batch, outcome) : noCharges);
    return outcome;
  }
}

type Charges = Pick<CommitInfo, 'charged' | 'chargedMicros'>;

const noCharges: Charges = { charged: 0, chargedMicros: 0 };

function chargesIn(batch: Batch, { settled, late }: Extract<CommitOutcome, { status: 'applied' }>): Charges {
  const entries = [...batch.settles, ...batch.lates, ...batch.reads];
  const outcomes = [...settled, ...late];
  const charges = entries.filter((_, i) => outcomes[i] === 'charged');
  return { charged: charges.length, chargedMicros: charges.reduce((sum, { micros }) => sum + micros, 0) };
}
