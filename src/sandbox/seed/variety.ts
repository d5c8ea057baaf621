import type { Dataset } from '../dataset/dataset.ts';
import type { AttachedMedia, SandboxTweet, User } from '../dataset/types.ts';
import { demoNames } from './demo.ts';
import { type Prng, prng } from './prng.ts';

/** Rare cases that a client has to expect. The random stream is its own, so the rest of the dataset does not depend on it. */
export class Variety {
  readonly #random: Prng;

  constructor(seed: string) {
    this.#random = prng(seed, 'variety');
  }

  /** Null for a tweet whose client, or whose number of views, is not known. */
  known<T>(value: T): T | null {
    return this.#random.chance(0.01) ? null : value;
  }

  /** Of some media only the address is known. */
  media(media: readonly AttachedMedia[]): readonly AttachedMedia[] {
    return media.map((each) =>
      this.#random.chance(0.02) ? { ...each, width: null, height: null, durationMs: null } : each,
    );
  }

  /** Some tweets with a video mention a timestamp of it. */
  text(text: string, [video]: readonly AttachedMedia[]): string {
    if (video?.kind !== 'video' || video.durationMs === null || !this.#random.chance(0.3)) return text;
    const second = this.#random.int(1, Math.floor(video.durationMs / 1_000));
    return `${text} (${Math.floor(second / 60)}:${String(second % 60).padStart(2, '0')})`;
  }

  /** A fifth of the users, and the demo accounts that are not protected, pin their best received tweet. */
  pinTweets(dataset: Dataset): void {
    for (const user of dataset.users.values()) {
      const isShown = user.protected === false && demoNames.some((name) => name === user.screenName);
      if ((!this.#random.chance(0.2) && !isShown) || user.state !== 'active') continue;
      const best = bestOf(dataset, user);
      if (best !== undefined) user.pinned.push(best.id);
    }
  }
}

function bestOf(dataset: Dataset, user: User): SandboxTweet | undefined {
  let best: SandboxTweet | undefined;
  for (const position of user.tweets) {
    const tweet = dataset.tweets[position];
    if (tweet === undefined || tweet.deleted || tweet.replyTo !== null) continue;
    if (best === undefined || tweet.score > best.score) best = tweet;
  }
  return best;
}
