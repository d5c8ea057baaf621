import { parentPort, workerData } from 'node:worker_threads';
import { systemRuntime } from '../../shared/runtime/runtime.ts';
import { StoreUnavailableError } from '../port.ts';
import { serveStore } from '../thread/serve-store.ts';
import { openSqliteStore } from './store.ts';
import type { StoreWorkerMessage, StoreWorkerOptions } from './worker-host.ts';

/** The thread that has the database open. It ends when the store is closed. */
const port = parentPort;
if (port === null) throw new Error('worker.ts runs in a worker thread');
const say = (message: StoreWorkerMessage) => port.postMessage(message);

/** The timeout is short, because a write that waits for another process blocks all reads, and the service retries the write. */
const busyTimeoutMs = 1_000;

try {
  const store = openSqliteStore({ busyTimeoutMs, ...(workerData as StoreWorkerOptions), runtime: systemRuntime });
  const close = async () => {
    await store.close();
    port.unref();
  };
  say({ status: 'open' });
  serveStore({ ...store, close }, port);
} catch (failure) {
  say({ status: 'failed', failure, unavailable: failure instanceof StoreUnavailableError });
}
