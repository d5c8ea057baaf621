import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Enrolment } from './derive.ts';
import { normalCode } from './weak-code.ts';

/**
 * The second of the two settings that RFC 9106 recommends (section 4): Argon2id, 3 passes over 64 MiB in 4 lanes, a salt of
 * 128 bits. It is above what OWASP's Password Storage Cheat Sheet asks for. It only matters to who has two realms' stores.
 */
export const argon2Settings = { iterations: 3, memorySize: 64 * 1024, parallelism: 4 } as const;
const outputBytes = 64;

/** As text, since a file would be TypeScript in tests and JavaScript when built, and Node 20 runs only the latter. */
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

/** Threads that nobody needs end, since each holds the memory that Argon2 filled. */
const idleMs = 10_000;

/** Stretches codes in threads of their own: it takes a third of a second, and the event loop must not wait for that. */
export class Stretcher {
  readonly #most = Math.max(1, Math.min(2, availableParallelism() - 1));
  readonly #waiting: Task[] = [];
  readonly #idle: Worker[] = [];
  readonly #workers = new Set<Worker>();
  #closed = false;

  /** 64 bytes of which the same code, account and version always make the same. */
  stretch(code: string, { accountId, version }: Enrolment): Promise<Uint8Array> {
    const salt = createHash('sha256')
      .update(`postern chat recovery 1\0${accountId}\0${version}`)
      .digest()
      .subarray(0, 16);
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new Error('closed');
      this.#waiting.push({ password: normalCode(code), salt, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#waiting.splice(0)) task.reject(new Error('closed'));
    await Promise.all(Array.from(this.#workers, (worker) => worker.terminate()));
  }

  #next(): void {
    const worker = this.#idle.pop() ?? (this.#workers.size < this.#most && !this.#closed ? this.#start() : undefined);
    if (worker === undefined) return;
    const task = this.#waiting.shift();
    if (task === undefined) this.#rest(worker);
    else this.#run(worker, task);
  }

  #start(): Worker {
    const library = createRequire(import.meta.url).resolve('hash-wasm');
    const worker = new Worker(program, { eval: true, workerData: library, env: {}, execArgv: [], name: 'stretch' });
    worker.unref();
    this.#workers.add(worker);
    worker.once('exit', () => this.#workers.delete(worker));
    return worker;
  }

  #run(worker: Worker, { password, salt, resolve, reject }: Task): void {
    const finish = (settle: () => void, again: boolean) => {
      worker.off('message', hear).off('error', fail).off('exit', end);
      settle();
      if (again) this.#idle.push(worker);
      this.#next();
    };
    const hear = (answer: FromWorker) =>
      finish(() => ('hash' in answer ? resolve(answer.hash) : reject(new Error(answer.message))), true);
    const fail = (error: Error) => finish(() => reject(error), false);
    const end = () => finish(() => reject(new Error('The thread that stretches codes ended')), false);
    worker.on('message', hear).on('error', fail).on('exit', end);
    worker.postMessage({ ...argon2Settings, password, salt, hashLength: outputBytes, outputType: 'binary' });
  }

  #rest(worker: Worker): void {
    this.#idle.push(worker);
    setTimeout(() => {
      const place = this.#idle.indexOf(worker);
      if (place < 0) return;
      this.#idle.splice(place, 1);
      void worker.terminate();
    }, idleMs).unref();
  }
}
