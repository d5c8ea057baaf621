import { LRUCache } from 'lru-cache';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { ErrorReason } from '../../shared/errors/reasons.ts';
import { upTo } from '../../shared/runtime/lru.ts';

const reasons: ReadonlySet<ErrorReason> = new Set(['platform_unreadable', 'proxy_unreadable']);

/** After this many refused responses in a row, a poller stops (docs/webhooks.md, Stored credentials). */
export const maxRefusals = 20;
const maxPauseMs = 600_000;
/** With many failing pollers, the next request of one of them may be this far away. */
export const maxRefusalWaitMs = 3_600_000;
const maxRemembered = 20_000;

/** Returns true for a response that was refused because it is too large or does not match the contract of the platform. */
export function isRefusedResponse(error: unknown): boolean {
  return error instanceof PosternError && reasons.has(error.reason);
}

/**
 * Schedules, for each account, the pollers whose responses or cursors are refused. The pause between their requests
 * doubles with each refusal and halves every ten minutes. All failing pollers of an account share it, so that many of
 * them cause as much work as one.
 */
export class RefusedResponses {
  readonly #now: () => number;
  readonly #accounts = new LRUCache<string, { refusals: number; at: number; nextAt: number }>(upTo(maxRemembered));

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the time in milliseconds that a poller must wait after a refused response. `chance` is a number in [0, 1). */
  waitMs(account: string, chance: number): number {
    const now = this.#now();
    const { refusals, at, nextAt } = this.#accounts.get(account) ?? { refusals: 0, at: now, nextAt: now };
    const increased = Math.max(0, refusals - Math.max(0, now - at) / maxPauseMs) + 1;
    const pauseMs = Math.min(maxPauseMs, 1_000 * 2 ** Math.min(increased - 1, 10)) * (0.8 + 0.2 * chance);
    const next = Math.min(Math.max(nextAt, now) + pauseMs, now + maxRefusalWaitMs);
    this.#accounts.set(account, { refusals: Math.min(increased, 12), at: now, nextAt: next });
    return next - now;
  }
}

const betweenFailuresMs = 1_000;

/**
 * Schedules, for each account, the pollers whose requests to servers that callers choose keep failing. Together they
 * send one request a second. Other pollers of the account are not delayed.
 */
export class FailedPolls {
  readonly #now: () => number;
  readonly #nextAt = new LRUCache<string, number>(upTo(maxRemembered));

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the time in milliseconds that a poller must wait after a failure. */
  waitMs(account: string): number {
    const now = this.#now();
    const next = Math.min(Math.max(this.#nextAt.get(account) ?? 0, now) + betweenFailuresMs, now + maxRefusalWaitMs);
    this.#nextAt.set(account, next);
    return next - now;
  }
}
