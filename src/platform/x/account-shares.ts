import { LRUCache } from 'lru-cache';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';

/** Per-account caps: a percentage of each app-wide limit, and dollars per UTC day. */
export interface AccountCaps {
  percent: number;
  dailyMicros: number | null;
}

/** `most` is what one account may use until a time in milliseconds. `left` is the part that all accounts have left, from 0 to 1. */
interface Window {
  most: number;
  left?: number;
  until: number;
}

/** The size of the cache of uses, which has one entry per account and limit. */
const maxUses = 20_000;
/** The length of a window that X has not described yet. */
const usualWindowMs = 15 * 60_000;
const dayMs = 24 * 60 * 60_000;
const credit = 'credit';

/** Counts what each account uses of the limits of the whole app and of the operator's credit. Each limit has one window at a time. */
export class AccountShares {
  readonly #caps: AccountCaps;
  readonly #runtime: Runtime;
  readonly #windows = new Map<string, Window>();
  readonly #uses = new LRUCache<string, { window: Window; amount: number }>({ max: maxUses });

  constructor(caps: AccountCaps, runtime: Runtime) {
    this.#caps = caps;
    this.#runtime = runtime;
  }

  /** Counts a request towards limits. Throws a `PosternError` if the account has used its share of one, or of the credit. */
  enter(limits: readonly string[], account: string): void {
    const now = this.#runtime.now();
    for (const name of [credit, ...limits]) {
      const { window, amount } = this.#use(name, account);
      const retryAfterSeconds = Math.ceil((window.until - now) / 1_000);
      if (amount < window.most) continue;
      const message = `The account has used its share of the platform's ${name}`;
      throw new PosternError('platform_share_limit', message, { retryAfterSeconds });
    }
    for (const name of limits) this.#use(name, account).amount += 1;
  }

  /** Remembers what a response says about a limit. A window that is over says nothing about the present one. */
  learn(name: string, limit: number, left: number, until: number): void {
    const now = this.#runtime.now();
    const most = Math.max(1, Math.floor((limit * this.#caps.percent) / 100));
    if (until > now)
      Object.assign(this.#window(name), { most, left: left / limit, until: Math.min(until, now + dayMs) });
  }

  /** Returns the part of each limit that was left at the last response. Windows that are over are left out. */
  left(): Record<string, number> {
    const now = this.#runtime.now();
    const open = [...this.#windows].filter(([, { until }]) => until > now);
    return Object.fromEntries(open.flatMap(([name, { left }]) => (left === undefined ? [] : [[name, left]])));
  }

  spend(account: string, micros: number): void {
    this.#use(credit, account).amount += micros;
  }

  #use(name: string, account: string) {
    const window = this.#window(name);
    const known = this.#uses.get(`${name} ${account}`);
    if (known?.window === window) return known;
    const use = { window, amount: 0 };
    this.#uses.set(`${name} ${account}`, use);
    return use;
  }

  #window(name: string): Window {
    const now = this.#runtime.now();
    const known = this.#windows.get(name);
    if (known && known.until > now) return known;
    const most = (name === credit ? this.#caps.dailyMicros : known?.most) ?? Number.POSITIVE_INFINITY;
    const window = { most, until: now + (name === credit ? dayMs - (now % dayMs) : usualWindowMs) };
    this.#windows.set(name, window);
    return window;
  }
}
