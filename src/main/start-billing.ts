import { AccountService } from '../billing/account-service.ts';
import { ApiKeyAuthenticator } from '../billing/api-key-authenticator.ts';
import { requestLimit, streamLimit } from '../billing/concurrency-limit.ts';
import { Idempotency } from '../billing/idempotency.ts';
import { type CommitInfo, Ledger } from '../billing/ledger.ts';
import { ProcessHeartbeat } from '../billing/process-heartbeat.ts';
import { RateLimiter } from '../billing/rate-limiter.ts';
import { Sweeper } from '../billing/sweeper.ts';
import type { Logger } from '../shared/observability/logger.ts';
import type { Metrics } from '../shared/observability/metrics.ts';
import { StoreTrouble } from '../shared/observability/store-trouble.ts';
import { type Runtime, repeat } from '../shared/runtime/runtime.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import { Vault } from '../shared/secrets/vault.ts';
import type { Store } from '../store/port.ts';

const flushUsesMs = 10_000;

export interface BillingOptions {
  store: Store;
  runtime: Runtime;
  logger: Logger;
  metrics: Metrics;
  secretKeys: readonly Secret<Buffer>[];
  /** Calls a minute of each key; 0 for no limit. */
  rateLimit: number;
  maxStreamsPerKey: number;
  /** Concurrent requests of one API key; 0 for no limit. */
  maxConcurrentRequests: number;
  /** True if the platform performs the token of a write once. */
  repeatable: boolean;
}

/** Starts everything about accounts, keys and credit. `close` flushes it, and must be called when no request is in flight. */
export async function startBilling({ store, runtime, logger, metrics, ...options }: BillingOptions) {
  const trouble = new StoreTrouble(logger);
  const ledger = new Ledger({
    store: store.ledger,
    storeNow: () => store.now(),
    runtime,
    onCommit: (info) => noteCommit(info, metrics, logger, trouble),
  });
  const sweeper = new Sweeper({
    store: store.ledger,
    runtime,
    onSwept: (holds) => metrics.holdsSwept.inc(holds),
    onError: (err) => trouble.happened(err),
  });
  sweeper.start();
  const keys = new ApiKeyAuthenticator(store, runtime);
  const flushUses = () => keys.flushUses().catch((err) => trouble.happened(err));
  const flushing = repeat(runtime, flushUsesMs, flushUses);
  const presence = new ProcessHeartbeat(store.processes, runtime);
  await presence.beat();
  const vault = new Vault(options.secretKeys, runtime);
  const { repeatable, secretKeys } = options;
  return {
    ledger,
    keys,
    accounts: new AccountService(store, ledger, runtime),
    idempotency: new Idempotency({ store: store.idempotency, secretKeys, vault, runtime, repeatable }),
    limiter: new RateLimiter({ runtime, defaultLimit: options.rateLimit, processes: () => presence.live }),
    requests: requestLimit(options.maxConcurrentRequests),
    streams: streamLimit(options.maxStreamsPerKey),
    /** How many processes share the limits. */
    processes: () => presence.live,
    close: async () => {
      flushing.cancel();
      await presence.leave();
      await flushUses();
      await sweeper.stop();
      await ledger.close();
    },
  };
}

function noteCommit(info: CommitInfo, metrics: Metrics, logger: Logger, trouble: StoreTrouble): void {
  metrics.ledgerCommits.inc({ outcome: info.outcome });
  if (info.outcome === 'applied') metrics.callsCharged.inc(info.settled + info.late);
  const { account, attempt, error: err } = info;
  if (info.outcome === 'failed') {
    trouble.happened(err);
    logger.debug({ account, attempt, err }, 'a credit change did not reach the store; trying again');
    return;
  }
  trouble.over();
  if (info.outcome === 'abandoned')
    logger.error({ account, attempt, err }, 'a credit change was given up, its outcome unknown');
}
