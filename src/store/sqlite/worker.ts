import { parentPort, workerData } from 'node:worker_threads';
import { systemRuntime } from '../../shared/runtime/runtime.ts';
import { StoreUnavailableError } from '../port.ts';
import { serveStore } from '../thread/serve-store.ts';
import { openSqliteStore } from './store.ts';
import type { StoreWorkerMessage, StoreWorkerOptions } from './worker-host.ts';

/** The thread that owns the database. It ends when the store was closed. */
const port = parentPort;
if (port === null) throw new Error('worker.ts runs in a worker thread');
const say = (message: StoreWorkerMessage) => port.postMessage(message);

/** Short: a write that waits for another process keeps all reads waiting, and the service sends it again. */
const busyTimeoutMs = 1_000;

try {
  const store = openSqliteStore({ busyTimeoutMs, ...(workerData as StoreWorkerOptions), runtime: systemRuntime });
  const close = async () => {
    await store.close();
    port.unref();
  };
  say({ status: 'open' });
  serveStore({ ...store, close }, port);
} catch (fault) {
  say({ status: 'failed', fault, unavailable: fault instanceof StoreUnavailableError });
}
