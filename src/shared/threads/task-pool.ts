import { availableParallelism } from 'node:os';
import { Tinypool } from 'tinypool';
import { PosternError } from '../errors/postern-error.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { FairQueue, type Place, stopping } from './fair-queue.ts';
import type { Task, TaskInput, TaskRunner } from './task.ts';

export interface TaskPoolOptions {
  runtime: Runtime;
  /** The module that worker threads run: its default export takes a `TaskMessage`. */
  worker: URL;
  /** For one task, without the time in the queue. */
  timeLimitMs?: number;
  threads?: number;
  /** Called when a thread dies that runs no task, for example because its module cannot be loaded. */
  onError?: (error: unknown) => void;
}

export interface TaskMessage {
  readonly name: string;
  readonly input: TaskInput;
}

/** A task was stopped because it needed more time or memory than a task may have. */
export class TaskLimitError extends PosternError {
  constructor(cause: unknown) {
    super('article_too_complex', 'This article is too complex to be processed in time; nothing was charged', { cause });
  }
}

/** More than ten times what the slowest article of 100,000 characters takes on one free core. */
const usualTimeLimitMs = 15_000;
const threadIdleMs = 60_000;
const threadMemoryMiB = 512;
const mebi = 1024 * 1024;
/** Characters. The smallest task counts as much as `leastWeight`, which bounds the number of tasks too. */
const waitingLimits = { waiting: 64 * mebi, waitingOfAccount: 32 * mebi };
const leastWeight = 64 * 1024;

/**
 * Worker threads for work that would stop the event loop. Threads start with the first task and end when they are idle.
 * A task that exceeds its time or memory is stopped together with its thread; the others go on.
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
      // A thread that blocks in Atomics.wait could not be ended gracefully, and saves less than the tasks cost.
      useAtomics: false,
      resourceLimits: { maxOldGenerationSizeMb: threadMemoryMiB },
    });
    this.#threads.on('error', options.onError ?? (() => {}));
  }

  /** The tasks of one call, made for an account. */
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

  /** Ends all threads. Tasks that run or wait are refused with `unavailable`. */
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
