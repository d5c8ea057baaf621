import { AccountService } from '../billing/account-service.ts';
import { ApiKeyAuthenticator } from '../billing/api-key-authenticator.ts';
import { CallRecorder } from '../billing/call-recorder.ts';
import { FailedCallLimit } from '../billing/failed-call-limit.ts';
import { Idempotency } from '../billing/idempotency.ts';
import { KeyLimits } from '../billing/key-limits.ts';
import { type CommitInfo, Ledger, type LedgerOptions } from '../billing/ledger.ts';
import { LimitCounters } from '../billing/limit-counters.ts';
import { ProcessHeartbeat } from '../billing/process-heartbeat.ts';
import { StreamTokens } from '../billing/stream-tokens.ts';
import { Sweeper } from '../billing/sweeper.ts';
import { TracedLedger } from '../billing/traced-ledger.ts';
import { microsPerDollar } from '../shared/model/money.ts';
import type { Logger } from '../shared/observability/logger.ts';
import type { Metrics } from '../shared/observability/metrics.ts';
import { StoreFailureLog } from '../shared/observability/store-failure-log.ts';
import type { Tracing } from '../shared/observability/tracing.ts';
import { type Runtime, repeat } from '../shared/runtime/runtime.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import { Vault } from '../shared/secrets/vault.ts';
import type { Store } from '../store/port.ts';

const flushMs = 10_000;

/** The parts that all parts of the service share. */
export interface CoreParts {
  store: Store;
  runtime: Runtime;
  logger: Logger;
  metrics: Metrics;
  /** `null` if no traces are exported. */
  tracing: Tracing | null;
  secretKeys: readonly Secret<Buffer>[];
}

export interface BillingOptions extends CoreParts {
  /** The maximum number of calls per minute for each key; 0 for no limit. */
  rateLimit: number;
  /** The maximum number of failed calls per minute for each account; 0 for no limit. */
  failedCallLimit: number;
  maxStreamsPerKey: number;
  /** The maximum number of concurrent requests of one API key; 0 for no limit. */
  maxConcurrentRequests: number;
  /** Returns the fraction of `maxConcurrentRequests` that a key may use now. */
  keyShare: () => number;
  /** True if the platform performs each token of a write once. */
  repeatable: boolean;
  /** The id of a key that cannot be revoked over the API. `null` if there is none. */
  publicKey: string | null;
}

/** Starts accounts, API keys and the ledger. `close` flushes pending data and must be called when no request is running. */
export async function startBilling({ store, runtime, logger, metrics, tracing, ...options }: BillingOptions) {
  const trouble = new StoreFailureLog(logger);
  const presence = new ProcessHeartbeat({ store: store.processes, runtime });
  await presence.beat();
  const ledgerOptions: LedgerOptions = {
    store: store.ledger,
    processes: () => presence.live,
    storeNow: () => store.now(),
    runtime,
    onCommit: (info) => noteCommit(info, metrics, logger, trouble),
  };
  const ledger = tracing ? new TracedLedger(tracing, ledgerOptions) : new Ledger(ledgerOptions);
  metrics.watchQueues({ storeCalls: () => store.callsWaiting?.() ?? 0, charges: () => ledger.chargesWaiting });
  const sweeper = new Sweeper({
    store: store.ledger,
    runtime,
    onSwept: (holds) => metrics.holdsSwept.inc(holds),
    onError: (err) => trouble.failed(err),
  });
  sweeper.start();
  const keys = new ApiKeyAuthenticator(store, runtime);
  const flushUses = () => keys.flushUses().catch((err) => trouble.failed(err));
  const recorder = new CallRecorder({
    store: store.statistics,
    storeNow: () => store.now(),
    onError: (err) => trouble.failed(err),
  });
  const flush = async () => void (await Promise.all([flushUses(), recorder.flush()]));
  const flushing = repeat(runtime, flushMs, flush);
  const vault = new Vault(options.secretKeys, runtime);
  const { repeatable, secretKeys } = options;
  const counters = new LimitCounters({ runtime, processes: () => presence.live });
  return {
    ledger,
    recorder,
    keys,
    accounts: new AccountService({ store, ledger, recorder, runtime, publicKey: options.publicKey }),
    idempotency: new Idempotency({
      ...{ store: store.idempotency, secretKeys, vault, runtime, repeatable },
      onError: (err) => logger.error({ err }, 'a response was not kept for its Idempotency-Key'),
    }),
    streamTokens: new StreamTokens(vault, () => store.now()),
    counters,
    failedCalls: new FailedCallLimit({ runtime, counters, limit: options.failedCallLimit }),
    limits: new KeyLimits({ counters, ...options }),
    close: async () => {
      flushing.cancel();
      presence.stop();
      await presence.leave();
      await flush();
      await sweeper.stop();
      await ledger.close();
    },
  };
}

function noteCommit(info: CommitInfo, metrics: Metrics, logger: Logger, trouble: StoreFailureLog): void {
  metrics.ledgerCommits.inc({ outcome: info.outcome });
  metrics.callsCharged.inc(info.charged);
  metrics.dollarsCharged.inc(info.chargedMicros / microsPerDollar);
  const { account, attempt, error: err } = info;
  if (info.outcome === 'failed') {
    trouble.failed(err);
    logger.debug({ account, attempt, err }, 'a credit change did not reach the store; trying again');
    return;
  }
  trouble.succeeded();
  if (info.outcome === 'abandoned')
    logger.error({ account, attempt, err }, 'a credit change was abandoned, and its outcome is unknown');
}
