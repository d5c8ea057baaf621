import { randomBytes } from 'node:crypto';

/** A pending timer. Cancelling a timer that has already run has no effect. */
export interface Timer {
  cancel(): void;
}

/** Clock, randomness and timers. They are passed as an argument, so that a test can stop or advance the clock and repeat a run. */
export interface Runtime {
  /** Returns milliseconds since the Unix epoch. */
  now(): number;
  /** Returns cryptographically strong random bytes. */
  randomBytes(length: number): Buffer;
  /** Runs `task` once after `delayMs`. A pending timer does not keep the process alive. */
  after(delayMs: number, task: () => void): Timer;
}

/**
 * The number of pending timers. The timers are counted and not stored, because a Set would keep the objects of ended calls in memory
 * (docs/decisions.md, Speed).
 */
let pending = 0;

export const systemRuntime: Runtime = {
  now: () => Date.now(),
  randomBytes: takeRandom,
  after(delayMs, task) {
    let isPending = true;
    const end = () => {
      if (isPending) pending -= 1;
      isPending = false;
    };
    const handle = setTimeout(() => {
      end();
      task();
    }, delayMs);
    handle.unref();
    pending += 1;
    return {
      cancel: () => {
        clearTimeout(handle);
        end();
      },
    };
  },
};

/** Returns the number of timers of `systemRuntime` that are pending in this thread. */
export function pendingTimers(): number {
  return pending;
}

const poolBytes = 8_192;
let pool = Buffer.alloc(0);

/**
 * Takes random bytes from a pool, because every request needs a few bytes and a system call for a few bytes costs as much as one for
 * thousands.
 */
function takeRandom(length: number): Buffer {
  if (length > poolBytes / 8) return randomBytes(length);
  if (pool.length < length) pool = randomBytes(poolBytes);
  const taken = Buffer.from(pool.subarray(0, length));
  pool = pool.subarray(length);
  return taken;
}

/** Returns a random number in [0, 1). */
export function chance(runtime: Pick<Runtime, 'randomBytes'>): number {
  return runtime.randomBytes(4).readUInt32LE(0) / 2 ** 32;
}

/**
 * Runs `task` repeatedly, with a pause of `intervalMs` between the end of one run and the start of the next, so that runs never overlap.
 */
export function repeat(runtime: Runtime, intervalMs: number, task: () => Promise<void>): Timer {
  let stopped = false;
  let timer: Timer | undefined;
  const schedule = () => {
    if (stopped) return;
    timer = runtime.after(intervalMs, () => void task().finally(schedule));
  };
  schedule();
  return {
    cancel() {
      stopped = true;
      timer?.cancel();
    },
  };
}

export function sleep(runtime: Runtime, delayMs: number): Promise<void> {
  return new Promise((resolve) => runtime.after(delayMs, resolve));
}

/**
 * Settles like `work`, but rejects with `timeoutError()` if `work` takes longer than `timeoutMs`. `work` itself is not
 * cancelled.
 */
export function withTimeout<T>(
  runtime: Pick<Runtime, 'after'>,
  work: Promise<T>,
  timeoutMs: number,
  timeoutError: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = runtime.after(timeoutMs, () => reject(timeoutError()));
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
