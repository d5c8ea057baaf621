import type { ActivityType } from '../dataset/activity.ts';
import type { SandboxTweet, User } from '../dataset/types.ts';
import type { SandboxState } from '../platform.ts';
import { Refusal } from '../refusal.ts';
import { demoNames } from '../seed/demo.ts';
import type { Prng } from '../seed/prng.ts';
import { createEvents } from './create-events.ts';

/** Runs a function once, after a delay. Returns a function that cancels it. */
export type Schedule = (delayMs: number, run: () => void) => () => void;

/** Uses timers that do not keep the process alive. */
export const systemSchedule: Schedule = (delayMs, run) => {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
};

/** The time for which an account counts as watched after its activity feed was read. */
const WATCHING_MS = 60_000;
const FIRST_MS = 1_000;
const SHORTEST_MS = 2_000;
const LONGEST_MS = 6_000;
/** The number of an account's latest tweets that users react to. */
const RECENT_TWEETS = 8;

const habits: readonly (readonly [ActivityType, weight: number])[] = [
  ['like', 44],
  ['reply', 16],
  ['retweet', 12],
  ['follow', 11],
  ['mention', 10],
  ['quote', 7],
];

/** Simulates activity on the demo accounts while one of them is watched. Without a schedule it does nothing. */
export class ActivitySimulator {
  readonly #schedule: Schedule | null;
  /** The time of the last poll of each account, by user id. */
  readonly #watched = new Map<string, number>();
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(schedule: Schedule | null) {
    this.#schedule = schedule;
  }

  /** Records that the activity feed of an account was read. */
  watched(platform: SandboxState, user: User): void {
    if (this.#schedule === null || this.#stopped || !demoNames.some((name) => name === user.screenName)) return;
    this.#watched.set(user.id, platform.now());
    this.#cancel ??= this.#schedule(FIRST_MS, () => this.#goOn(platform));
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #goOn(platform: SandboxState): void {
    this.#cancel = undefined;
    const { dataset, extras, journal } = platform;
    const since = platform.now() - WATCHING_MS;
    for (const [id, at] of this.#watched) if (at <= since) this.#watched.delete(id);
    const users = [...this.#watched.keys()].flatMap((id) => dataset.users.get(id) ?? []);
    if (users.length === 0) return;
    const { random } = extras;
    this.#cancel = this.#schedule?.(random.int(SHORTEST_MS, LONGEST_MS), () => this.#goOn(platform));
    // Create no events while the journal cannot be written, because they would accumulate in memory.
    if (!journal.failing) simulateEvent(platform, random, random.pick(users));
  }
}

function simulateEvent(platform: SandboxState, random: Prng, target: User): void {
  const possible = habits.filter(([type]) => type !== 'retweet' || !target.protected);
  const [type] = random.weighted(possible, ([, weight]) => weight);
  const tweet = type === 'mention' || type === 'follow' ? undefined : recentTweet(random, target);
  try {
    createEvents(platform, { type, target, count: 1, tweet, unasked: true });
  } catch (error) {
    // A refusal is expected, for example if the account has deleted all its tweets.
    if (!(error instanceof Refusal)) throw error;
  }
}

/** Picks one of the latest tweets. Later ones are more likely. */
function recentTweet(random: Prng, { tweets }: User): SandboxTweet | undefined {
  const recent = tweets
    .filter(({ deleted }) => !deleted)
    .slice(-RECENT_TWEETS)
    .reverse();
  return recent[random.int(0, random.int(0, Math.max(0, recent.length - 1)))];
}
