import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { RecoveryEnrolment } from './derive.ts';
import { normalizeCode } from './weak-code.ts';

/**
 * The second recommended setting of RFC 9106 (section 4): Argon2id with 3 passes over 64 MiB in 4 lanes and a salt of
 * 128 bits. It exceeds the recommendation of OWASP's Password Storage Cheat Sheet. It matters only if an attacker has
 * the data of two realms.
 */
const argon2Cost = { iterations: 3, memorySize: 64 * 1024, parallelism: 4 };
const outputBytes = 64;

/**
 * The program of the worker thread, as a string. A file would be TypeScript in tests and JavaScript after the build,
 * and Node 20 runs only JavaScript.
 */
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const { argon2id } = require(workerData);
parentPort.on('message', (options) => {
  argon2id(options).then((hash) => parentPort.postMessage({ hash }), ({ message }) => parentPort.postMessage({ message }));
});`;

type FromWorker = { readonly hash: Uint8Array } | { readonly message: string };

interface Task {
  readonly password: string;
  readonly salt: Uint8Array;
  resolve(hash: Uint8Array): void;
  reject(error: Error): void;
}

export interface KeyStretcherOptions {
  /** The maximum number of worker threads. */
  threads?: number;
  /** An idle thread ends after this time, because each thread keeps the memory of Argon2 allocated. */
  idleMs?: number;
  /** Tests of the threads set a lower cost. */
  cost?: typeof argon2Cost;
}

/** The part of a `KeyStretcher` that key recovery uses. */
export type Stretcher = Pick<KeyStretcher, 'stretch' | 'close'>;

/** Runs key stretching in worker threads. One run takes a third of a second and would block the event loop. */
export class KeyStretcher {
  readonly #threads: number;
  readonly #idleMs: number;
  readonly #cost: typeof argon2Cost;
  readonly #waiting: Task[] = [];
  /** The idle threads, each with the timer that ends it. */
  readonly #idle = new Map<Worker, NodeJS.Timeout>();
  /** All threads that have not exited, including those that are being terminated. */
  readonly #workers = new Set<Worker>();
  #closed = false;

  constructor({ threads, idleMs = 10_000, cost = argon2Cost }: KeyStretcherOptions = {}) {
    this.#threads = threads ?? Math.max(1, Math.min(2, availableParallelism() - 1));
    this.#idleMs = idleMs;
    this.#cost = cost;
  }

  /** Returns 64 bytes that depend only on the code, the account and the version. */
  stretch(code: string, { accountId, version }: RecoveryEnrolment): Promise<Uint8Array> {
    const salt = createHash('sha256')
      .update(`postern chat recovery 1\0${accountId}\0${version}`)
      .digest()
      .subarray(0, 16);
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new Error('closed');
      this.#waiting.push({ password: normalizeCode(code), salt, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#waiting.splice(0)) task.reject(new Error('closed'));
    await Promise.all(Array.from(this.#workers, (worker) => worker.terminate()));
  }

  /**
   * Starts the next queued task if a thread is free. Called when a task is queued, a thread becomes free, or a thread
   * exits.
   */
  #next(): void {
    if (this.#waiting.length === 0) return;
    const worker = this.#takeIdle() ?? (this.#workers.size < this.#threads ? this.#start() : undefined);
    const task = worker && this.#waiting.shift();
    if (task) this.#run(worker, task);
  }

  #takeIdle(): Worker | undefined {
    const [entry] = this.#idle;
    if (entry === undefined) return undefined;
    const [worker, timer] = entry;
    clearTimeout(timer);
    this.#idle.delete(worker);
    return worker;
  }

  #start(): Worker {
    const library = createRequire(import.meta.url).resolve('hash-wasm');
    const worker = new Worker(program, { eval: true, workerData: library, env: {}, execArgv: [], name: 'stretch' });
    worker.unref();
    this.#workers.add(worker);
    worker.once('exit', () => {
      this.#workers.delete(worker);
      clearTimeout(this.#idle.get(worker));
      this.#idle.delete(worker);
      this.#next();
    });
    return worker;
  }

  #run(worker: Worker, { password, salt, resolve, reject }: Task): void {
    const finish = (settle: () => void, again: boolean) => {
      worker.off('message', hear).off('error', fail).off('exit', end);
      settle();
      if (again) this.#rest(worker);
      this.#next();
    };
    const hear = (answer: FromWorker) =>
      finish(() => ('hash' in answer ? resolve(answer.hash) : reject(new Error(answer.message))), true);
    const fail = (error: Error) => finish(() => reject(error), false);
    const end = () => finish(() => reject(new Error('The thread that stretches codes ended')), false);
    worker.on('message', hear).on('error', fail).on('exit', end);
    worker.postMessage({ ...this.#cost, password, salt, hashLength: outputBytes, outputType: 'binary' });
  }

  #rest(worker: Worker): void {
    const end = () => {
      this.#idle.delete(worker);
      void worker.terminate();
    };
    this.#idle.set(worker, setTimeout(end, this.#idleMs).unref());
  }
}
