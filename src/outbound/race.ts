import type { Runtime, Timer } from '../shared/runtime/runtime.ts';

/** The delay before the next address is tried in parallel (RFC 8305, section 8). */
const attemptDelayMs = 250;
export const maxAttempts = 4;

export interface RaceOptions {
  runtime: Runtime;
  /** The time limit for all attempts together, in milliseconds. */
  timeoutMs: number;
  /** Returns the error for the time limit. */
  late: () => Error;
  /** Returns false while only one attempt may run at a time. */
  mayOverlap: () => boolean;
}

export interface Attempt<Connection> {
  /** Starts the delay before the next attempt. */
  startDelay(): void;
  /** Returns false if the race is over, so that the connection must be closed. */
  succeed(connection: Connection): boolean;
  /** After a final error, no further attempt is started. */
  fail(error: Error, isFinal?: boolean): void;
}

/**
 * Tries the addresses in order, in parallel after a delay, and uses the first connection (Happy Eyeballs, RFC 8305).
 * `begin` starts an attempt and returns a function that cancels it. It must return before it calls the attempt's
 * methods. `callback` gets the first connection and its address, the error of the last attempt, or the error of `late`.
 */
export function race<Connection>(
  addresses: readonly string[],
  { runtime, timeoutMs, late, mayOverlap }: RaceOptions,
  begin: (address: string, attempt: Attempt<Connection>) => () => void,
  callback: (...result: [error: Error] | [error: null, connection: Connection, address: string]) => void,
): void {
  const waiting = addresses.slice(0, maxAttempts);
  /** The functions that cancel the running attempts. */
  const running = new Map<Attempt<Connection>, () => void>();
  let delay: Timer | undefined;

  const end = (...result: Parameters<typeof callback>) => {
    delay?.cancel();
    deadline.cancel();
    waiting.length = 0;
    const losers = [...running.values()];
    running.clear();
    for (const cancel of losers) cancel();
    callback(...result);
  };
  const deadline = runtime.after(timeoutMs, () => end(late()));

  const startDelay = () => {
    delay?.cancel();
    if (waiting.length > 0) delay = runtime.after(attemptDelayMs, tryNext);
  };
  const tryNext = () => {
    delay?.cancel();
    const address = running.size === 0 || mayOverlap() ? waiting.shift() : undefined;
    if (address === undefined) return startDelay();
    const attempt: Attempt<Connection> = {
      startDelay,
      succeed: (connection) => {
        if (!running.delete(attempt)) return false;
        end(null, connection, address);
        return true;
      },
      fail: (error, isFinal = false) => {
        if (!running.delete(attempt)) return;
        if (isFinal) waiting.length = 0;
        if (waiting.length > 0) tryNext();
        else if (running.size === 0) end(error);
      },
    };
    running.set(attempt, begin(address, attempt));
  };
  tryNext();
}
