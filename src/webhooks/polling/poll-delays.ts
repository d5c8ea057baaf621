import { LRUCache } from 'lru-cache';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { ErrorReason } from '../../shared/errors/reasons.ts';
import { upTo } from '../../shared/runtime/lru.ts';

const slowestMs = 60_000;
/**
 * The time since the last event divided by this number is the pause between polls: an account without events for twenty minutes is polled
 * once a minute.
 */
const quietPerPause = 20;
const quickPages = 5;
const fullPageMs = 50;
const maxBackoffMs = 60_000;
/** A longer `Retry-After` of the platform is shortened to this. */
const maxRetryAfterMs = 3_600_000;
const jitter = 0.1;

/**
 * Returns the pause in milliseconds before the next poll. The pause is short after recent events and long after a quiet period. `fastestMs`
 * is the shortest pause. `chance` in [0, 1) spreads pollers that began at the same time.
 */
export function pollDelayMs(quietMs: number, fastestMs: number, chance: number): number {
  const pause = Math.min(slowestMs, Math.max(fastestMs, quietMs / quietPerPause));
  return pause * (1 - 2 * jitter * chance);
}

/**
 * Returns the time in milliseconds after its last event for which an actor counts as active. It is chosen so that polls that wait for
 * `waitMs` are not more frequent than polls with the pauses above.
 */
export function activeMs(waitMs: number): number {
  return quietPerPause * waitMs;
}

/**
 * Returns the pause in milliseconds after a number of consecutive full pages of `count` events. There is none after the first few, so that
 * a backlog is read quickly. Later it doubles up to half of the time that `perMinute` allows for a page.
 */
export function fullPagePauseMs(pages: number, count: number, perMinute: number): number {
  if (pages <= quickPages) return 0;
  return Math.min((60_000 * count) / perMinute / 2, fullPageMs * 2 ** (pages - quickPages));
}

/**
 * Returns the pause in milliseconds after a number of consecutive failures. `chance` in [0, 1) spreads pollers that failed at the same
 * time.
 */
export function backoffMs(failures: number, retryAfterSeconds: number | undefined, chance: number): number {
  const pause = Math.min(maxBackoffMs, 1_000 * 2 ** Math.min(failures, 10)) * (0.5 + chance / 2);
  const retryAfterMs = Math.min(maxRetryAfterMs, (retryAfterSeconds ?? 0) * 1_000);
  return Math.max(pause, retryAfterMs * (1 + jitter * chance));
}

const refusedReasons: ReadonlySet<ErrorReason> = new Set(['platform_unreadable', 'proxy_unreadable']);

/** Returns true for a response that was refused because it is too large or does not match the contract of the platform. */
export function isRefusedResponse(error: unknown): boolean {
  return error instanceof PosternError && refusedReasons.has(error.reason);
}

/** After this many refused responses in a row, a poller stops (docs/webhooks.md, Stored credentials). */
export const maxRefusals = 20;
const maxRefusalPauseMs = 600_000;
const msBetweenFailures = 1_000;
/** With many failing pollers, the next request of one of them may be this far away. */
export const maxAccountDelayMs = 3_600_000;
const maxRemembered = 20_000;

/** Schedules the failing pollers of each account, so that many of them cause as much work as one. Other pollers are not delayed. */
export class AccountBackoff {
  readonly #now: () => number;
  readonly #refusals = new LRUCache<string, { count: number; at: number; nextAt: number }>(upTo(maxRemembered));
  readonly #failuresNextAt = new LRUCache<string, number>(upTo(maxRemembered));

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Returns the time in milliseconds that a poller must wait after a refused response or cursor. The pause between the requests of these
   * pollers doubles with each refusal and halves every ten minutes. `chance` is a number in [0, 1).
   */
  afterRefusal(account: string, chance: number): number {
    const now = this.#now();
    const { count, at, nextAt } = this.#refusals.get(account) ?? { count: 0, at: now, nextAt: now };
    const increased = Math.max(0, count - Math.max(0, now - at) / maxRefusalPauseMs) + 1;
    const pauseMs = Math.min(maxRefusalPauseMs, 1_000 * 2 ** Math.min(increased - 1, 10)) * (0.8 + 0.2 * chance);
    const next = Math.min(Math.max(nextAt, now) + pauseMs, now + maxAccountDelayMs);
    this.#refusals.set(account, { count: Math.min(increased, 12), at: now, nextAt: next });
    return next - now;
  }

  /**
   * Returns the time in milliseconds that a poller must wait after repeated failures of a server that callers choose. Together these pollers
   * send one request a second.
   */
  afterFailure(account: string): number {
    const now = this.#now();
    const nextAt = Math.max(this.#failuresNextAt.get(account) ?? 0, now) + msBetweenFailures;
    const next = Math.min(nextAt, now + maxAccountDelayMs);
    this.#failuresNextAt.set(account, next);
    return next - now;
  }
}
