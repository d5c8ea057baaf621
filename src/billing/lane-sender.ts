import { type Runtime, sleep } from '../runtime/runtime.ts';
import type { CommitOutcome, LedgerStore } from '../store/port.ts';
import type { Batch } from './lane-queue.ts';
import type { CommitInfo, LedgerTimes } from './ledger-times.ts';

export interface SenderContext {
  store: LedgerStore;
  runtime: Runtime;
  times: LedgerTimes;
  onCommit: (info: CommitInfo) => void;
}

export interface SenderHooks {
  onAttempt: (at: number) => void;
  onFailure: () => void;
  stopped: () => boolean;
}

/**
 * Brings a commit to the store: the same id and content again until the outcome is known, never another in its place.
 * `abandoned` where it stays unknown for `giveUpMs`, `stopped` where nobody waits any more.
 */
export async function sendUntilKnown(
  batch: Batch,
  context: SenderContext,
  hooks: SenderHooks,
): Promise<CommitOutcome | 'abandoned' | 'stopped'> {
  const { store, runtime, times } = context;
  const firstSentAt = runtime.now();
  let pause = times.retryFirstMs;
  for (let attempt = 1; ; attempt++) {
    const sentAt = runtime.now();
    hooks.onAttempt(sentAt);
    const report = (outcome: CommitInfo['outcome'], error?: unknown) =>
      context.onCommit({
        account: batch.commit.account,
        outcome,
        attempt,
        durationMs: runtime.now() - sentAt,
        reserved: batch.reserves.length,
        settled: batch.settles.length,
        late: batch.lates.length,
        ...(error === undefined ? {} : { error }),
      });
    let outcome: CommitOutcome;
    try {
      outcome = await store.commit(batch.commit);
    } catch (error) {
      hooks.onFailure();
      report('failed', error);
      if (hooks.stopped()) return 'stopped';
      await sleep(runtime, pause);
      if (hooks.stopped()) return 'stopped';
      // Looked at before each further attempt: the clock may have leapt while this process, or its machine, slept.
      if (runtime.now() - firstSentAt >= times.giveUpMs) {
        report('abandoned', error);
        return 'abandoned';
      }
      pause = Math.min(pause * 2, times.retryLastMs);
      continue;
    }
    report(outcome.status);
    return outcome;
  }
}
