import { Worker } from 'node:worker_threads';
import type { Sandbox, SandboxOptions } from './sandbox.ts';

export type { Sandbox } from './sandbox.ts';

export type SandboxWorkerOptions = Omit<SandboxOptions, 'now' | 'schedule'>;

export type ToWorker = 'close';
export type SandboxWorkerMessage =
  | { readonly kind: 'ready'; readonly url: string; readonly port: number }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly code: string | undefined;
      readonly port: number | undefined;
    }
  | { readonly kind: 'closed' };

export interface WorkerSandbox extends Sandbox {
  /** Calls `listener` once if the worker ends without having been asked to stop. */
  onExit(listener: (error: Error) => void): void;
}

/**
 * Starts the sandbox in a worker thread. Rejects with the error of the worker, such as EADDRINUSE if the port is in
 * use.
 */
export function startSandboxWorker(options: SandboxWorkerOptions): Promise<WorkerSandbox> {
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    workerData: options,
    name: 'sandbox',
    // Without this limit, the young generation grows to 32 MiB while the dataset is generated, and does not shrink again.
    resourceLimits: { maxYoungGenerationSizeMb: 12 },
  });
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`The sandbox's thread ended with ${code} before it was ready`)));
    worker.once('message', (message: SandboxWorkerMessage) => {
      worker.removeAllListeners();
      if (message.kind === 'ready') resolve(running(worker, message.url, message.port));
      else reject(message.kind === 'failed' ? failure(message) : new Error('closed too early'));
    });
  });
}

/** Rebuilds a system error with its `code` and `port`. */
function failure({ message, code, port }: Extract<SandboxWorkerMessage, { kind: 'failed' }>): Error {
  return Object.assign(new Error(message), code !== undefined && { code }, port !== undefined && { port });
}

function running(worker: Worker, url: string, port: number): WorkerSandbox {
  let closing: Promise<void> | undefined;
  let ended: Error | undefined;
  const listeners: ((error: Error) => void)[] = [];
  const end = (error: Error) => {
    if (closing !== undefined || ended !== undefined) return;
    ended = error;
    for (const listener of listeners) listener(error);
  };
  worker.on('error', end);
  worker.on('exit', (code) => end(new Error(`The sandbox's thread ended with ${code}`)));

  return {
    url,
    port,
    onExit(listener) {
      if (ended === undefined) listeners.push(listener);
      else listener(ended);
    },
    close() {
      closing ??= new Promise((resolve) => {
        if (ended !== undefined) return resolve();
        worker.once('exit', () => resolve());
        worker.postMessage('close' satisfies ToWorker);
      });
      return closing;
    },
  };
}
