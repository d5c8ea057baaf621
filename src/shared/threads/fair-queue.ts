import { PosternError } from '../errors/postern-error.ts';
import type { CancelSignal } from '../runtime/cancellation.ts';

export interface FairQueueLimits {
  /** The maximum number of running tasks. */
  running: number;
  /** The maximum number of running tasks of one account. */
  runningOfAccount: number;
  /** The maximum total weight of waiting tasks. Without it, any number of tasks may wait. */
  waiting?: number;
  /** The maximum total weight of the waiting tasks of one account. A single task is always accepted. */
  waitingOfAccount?: number;
}

export interface Place {
  account: string;
  /** Counts towards the limits while the task waits. */
  weight: number;
  /**
   * Removes the task from the queue when it is aborted. A task that has started continues. `null` for a write, which must not be removed.
   */
  signal: CancelSignal | null;
}

interface Waiting extends Place {
  start: () => void;
  refuse: (error: Error) => void;
}

/** A semaphore with one queue per account. Accounts take turns, so that one account cannot block the others. */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #running = new Map<string, number>();
  /** The queues by account. The first account is the next to run a task. */
  readonly #waiting = new Map<string, Waiting[]>();
  #runningCount = 0;
  #waitingWeight = 0;
  #closed = false;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  async run<T>(place: Place, task: () => Promise<T>): Promise<T> {
    await this.#enter(place);
    try {
      return await task();
    } finally {
      this.#leave(place.account);
    }
  }

  /** Refuses all waiting and all later tasks. */
  close(): void {
    this.#closed = true;
    for (const waiting of [...this.#waiting.values()].flat()) waiting.refuse(stopping());
  }

  #enter(place: Place): Promise<void> {
    if (this.#closed) throw stopping();
    if (place.signal?.aborted) throw hungUp();
    if (this.#mayRun(place.account)) {
      this.#count(place.account, 1);
      return Promise.resolve();
    }
    this.#checkLimits(place);
    return new Promise((resolve, reject) => {
      const { account, weight, signal } = place;
      const leave = () => {
        signal?.removeEventListener('abort', onAbort);
        const queue = this.#waiting.get(account)?.filter((each) => each !== waiting) ?? [];
        if (queue.length === 0) this.#waiting.delete(account);
        else this.#waiting.set(account, queue);
        this.#waitingWeight -= weight;
      };
      const waiting: Waiting = {
        ...place,
        start: () => {
          leave();
          this.#count(account, 1);
          resolve();
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      const onAbort = () => waiting.refuse(hungUp());
      signal?.addEventListener('abort', onAbort, { once: true });
      const queue = this.#waiting.get(account);
      if (queue) queue.push(waiting);
      else this.#waiting.set(account, [waiting]);
      this.#waitingWeight += weight;
    });
  }

  #checkLimits({ account, weight }: Place): void {
    const { waiting = Number.POSITIVE_INFINITY, waitingOfAccount = Number.POSITIVE_INFINITY } = this.#limits;
    const queue = this.#waiting.get(account) ?? [];
    const own = queue.reduce((sum, each) => sum + each.weight, 0);
    if (queue.length > 0 && own + weight > waitingOfAccount) {
      throw new PosternError(
        'account_article_limit',
        'Too many articles of this account are being processed. Retry later',
        { retryAfterSeconds: 2 },
      );
    }
    if (this.#waitingWeight + weight > waiting) {
      throw new PosternError(
        'article_overload',
        'Too many articles are being processed. Nothing was charged. Retry later',
        { retryAfterSeconds: 2 },
      );
    }
  }

  #leave(account: string): void {
    this.#count(account, -1);
    for (const [next, queue] of this.#waiting) {
      if (this.#runningCount >= this.#limits.running) return;
      if (!this.#mayRun(next)) continue;
      queue[0]?.start();
      // The account moves to the end of the order.
      const rest = this.#waiting.get(next);
      if (rest && this.#waiting.delete(next)) this.#waiting.set(next, rest);
      return;
    }
  }

  #mayRun(account: string): boolean {
    const { running, runningOfAccount } = this.#limits;
    return this.#runningCount < running && (this.#running.get(account) ?? 0) < runningOfAccount;
  }

  #count(account: string, change: 1 | -1): void {
    this.#runningCount += change;
    const left = (this.#running.get(account) ?? 0) + change;
    if (left > 0) this.#running.set(account, left);
    else this.#running.delete(account);
  }
}

export function stopping(): PosternError {
  return new PosternError('stopping', 'The gateway is stopping. Nothing was charged. Retry shortly');
}

function hungUp(): PosternError {
  return new PosternError('caller_hung_up', 'The caller disconnected');
}
