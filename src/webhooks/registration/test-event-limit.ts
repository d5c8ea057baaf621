import type { Runtime } from '../../shared/runtime/runtime.ts';

export const testEventsPerMinute = 10;
const windowMs = 60_000;

/** Limits the test events of each account in this process. */
export class TestEventLimit {
  readonly #runtime: Pick<Runtime, 'now'>;
  readonly #sent = new Map<string, number[]>();

  constructor(runtime: Pick<Runtime, 'now'>) {
    this.#runtime = runtime;
  }

  /** Counts a test event and returns 0. Beyond the limit, returns the number of seconds until the next test event is allowed. */
  take(account: string): number {
    const now = this.#runtime.now();
    for (const [each, times] of this.#sent) if ((times.at(-1) ?? 0) <= now - windowMs) this.#sent.delete(each);
    const recent = (this.#sent.get(account) ?? []).filter((at) => at > now - windowMs);
    if (recent.length >= testEventsPerMinute) return Math.ceil(((recent[0] ?? now) + windowMs - now) / 1_000);
    this.#sent.set(account, [...recent, now]);
    return 0;
  }
}
