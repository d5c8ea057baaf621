import { availableParallelism } from 'node:os';
import { Tinypool } from 'tinypool';
import { PosternError } from '../errors/postern-error.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { FairQueue, type Place, stopping } from './fair-queue.ts';
import type { Task, TaskInput, TaskRunner } from './task.ts';

export interface TaskPoolOptions {
  runtime: Runtime;
  /** The module that worker threads run. Its default export receives a `TaskMessage`. */
  worker: URL;
  /** The time limit of one task, not counting its time in the queue. */
  timeLimitMs?: number;
  threads?: number;
  /** Called if a thread fails while it runs no task, for example because its module cannot be loaded. */
  onError?: (error: unknown) => void;
}

export interface TaskMessage {
  readonly name: string;
  readonly input: TaskInput;
}

/** Thrown if a task was stopped because it exceeded its time or memory limit. */
export class TaskLimitError extends PosternError {
  constructor(cause: unknown) {
    super('article_too_complex', 'This article is too complex to be processed in time. Nothing was charged', { cause });
  }
}

/** Ten times the time of the slowest article with 100,000 characters on one free core. */
const usualTimeLimitMs = 15_000;
const threadIdleMs = 60_000;
const threadMemoryMiB = 512;
const mebi = 1024 * 1024;
/** Limits of the texts that wait, in characters. A text counts as at least `leastWeight` characters, so these limits also bound the number of tasks. */
const waitingLimits = { waiting: 64 * mebi, waitingOfAccount: 32 * mebi };
const leastWeight = 64 * 1024;

/**
 * Worker threads for work that would block the event loop. Threads start with the first task and end when they are idle. A task that
 * exceeds its time or memory limit is stopped together with its thread; other tasks continue.
 */
export class TaskPool {
  readonly #threads: Tinypool;
  readonly #queue: FairQueue;
  readonly #runtime: Runtime;
  readonly #timeLimitMs: number;
  #closed = false;

  constructor(options: TaskPoolOptions) {
    const threads = options.threads ?? Math.min(4, Math.max(2, availableParallelism()));
    this.#runtime = options.runtime;
    this.#timeLimitMs = options.timeLimitMs ?? usualTimeLimitMs;
    this.#queue = new FairQueue({
      running: threads,
      runningOfAccount: Math.ceil(threads / 2),
      ...waitingLimits,
    });
    this.#threads = new Tinypool({
      filename: options.worker.href,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: threadIdleMs,
      // A thread that waits in Atomics.wait cannot be terminated gracefully. The saved time would be small compared to a task.
      useAtomics: false,
      resourceLimits: { maxOldGenerationSizeMb: threadMemoryMiB },
    });
    this.#threads.on('error', options.onError ?? (() => {}));
  }

  /** Returns a runner for the tasks of one call of an account. */
  forCall({ account, signal }: Omit<Place, 'weight'>): TaskRunner {
    return {
      run: async <Input extends TaskInput, Output>(task: Task<Input, Output>, input: Input): Promise<Output> => {
        const { length } = input.text;
        if (length <= task.inlineUpTo) return task.run(input);
        const weight = Math.max(leastWeight, length);
        return this.#queue.run({ account, weight, signal }, () => this.#run(task, input));
      },
    };
  }

  /** Ends all threads. Running and waiting tasks are refused with `unavailable`. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.close();
    await this.#threads.destroy();
  }

  async #run<Input extends TaskInput, Output>({ name }: Task<Input, Output>, input: Input): Promise<Output> {
    const controller = new AbortController();
    const timer = this.#runtime.after(this.#timeLimitMs, () => controller.abort());
    try {
      return await this.#threads.run({ name, input } satisfies TaskMessage, { signal: controller.signal });
    } catch (error) {
      if (controller.signal.aborted || isOutOfMemory(error)) throw new TaskLimitError(error);
      throw this.#closed ? stopping() : error;
    } finally {
      timer.cancel();
    }
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
