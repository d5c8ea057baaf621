/** Lets so many tasks run at a time; the others wait in line. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
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

/** Lets at most `limit` tasks of each key run at the same time. The others wait in the order in which they came. */
export class KeyedSemaphore {
  readonly #limit: number;
  readonly #keys = new Map<string, { running: number; waiting: (() => void)[] }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const slots = this.#keys.get(key) ?? { running: 0, waiting: [] };
    this.#keys.set(key, slots);
    if (slots.running < this.#limit) slots.running += 1;
    else await new Promise<void>((resolve) => slots.waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = slots.waiting.shift();
      // The slot passes to the next task, so `running` stays.
      if (next) next();
      else {
        slots.running -= 1;
        if (slots.running === 0) this.#keys.delete(key);
      }
    }
  }
}
