import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { systemRuntime } from '../../shared/runtime/runtime.ts';
import { type Store, StoreUnavailableError } from '../port.ts';
import { RemoteStore } from '../thread/remote-store.ts';
import type { SqliteStoreOptions } from './store.ts';

export type StoreWorkerOptions = Omit<SqliteStoreOptions, 'runtime'>;
export type StoreWorkerMessage = { status: 'open' } | { status: 'failed'; failure: unknown; unavailable: boolean };

export interface ThreadedStore extends Store {
  /** Calls `listener` once if the thread ends before the store was closed. */
  onExit(listener: (error: Error) => void): void;
}

/**
 * Opens the SQLite store in a thread of its own, because SQLite's calls block while they wait for the disk, and the thread that handles
 * HTTP must not be blocked. Throws the same errors as `openSqliteStore`.
 */
export async function openSqliteStoreInThread(options: StoreWorkerOptions): Promise<ThreadedStore> {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: options, name: 'store' });
  const [opened] = (await once(worker, 'message')) as [StoreWorkerMessage];
  if (opened.status === 'failed') {
    throw opened.unavailable ? new StoreUnavailableError((opened.failure as Error).message) : opened.failure;
  }
  const store = new RemoteStore('sqlite', worker, systemRuntime.now);
  let closing = false;
  const listeners: ((error: Error) => void)[] = [];
  const end = (error: Error) => {
    store.lose(error);
    if (!closing) for (const listener of listeners.splice(0)) listener(error);
  };
  worker.on('error', end);
  worker.on('exit', (code) => end(new Error(`The store's thread ended with ${code}`)));
  return Object.assign(store, {
    onExit: (listener: (error: Error) => void) => void listeners.push(listener),
    close: async () => {
      if (closing) return;
      closing = true;
      const exited = once(worker, 'exit');
      await RemoteStore.prototype.close.call(store);
      await exited;
    },
  });
}
