/** Runs at most `limit` tasks at the same time. Other tasks wait in order of arrival. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

/** A semaphore for each key. A key uses memory only while one of its tasks runs or waits. */
export class KeyedSemaphore {
  readonly #limit: number;
  readonly #keys = new Map<string, { semaphore: Semaphore; tasks: number }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const entry = this.#keys.get(key) ?? { semaphore: new Semaphore(this.#limit), tasks: 0 };
    this.#keys.set(key, entry);
    entry.tasks += 1;
    try {
      return await entry.semaphore.run(task);
    } finally {
      entry.tasks -= 1;
      if (entry.tasks === 0) this.#keys.delete(key);
    }
  }
}
