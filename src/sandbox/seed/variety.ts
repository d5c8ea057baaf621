import type { Dataset } from '../dataset/dataset.ts';
import type { AttachedMedia, SandboxTweet, User } from '../dataset/types.ts';
import { demoNames } from './demo.ts';
import { type Prng, prng } from './prng.ts';

/**
 * Adds rare cases that clients must handle. Uses its own random stream, so that the rest of the dataset does not depend
 * on it.
 */
export class Variety {
  readonly #random: Prng;

  constructor(seed: string) {
    this.#random = prng(seed, 'variety');
  }

  /** Replaces a value by null for some tweets, such as a source or a view count that is unknown. */
  known<T>(value: T): T | null {
    return this.#random.chance(0.01) ? null : value;
  }

  /** Removes all fields except the URL from some media. */
  media(media: readonly AttachedMedia[]): readonly AttachedMedia[] {
    return media.map((each) =>
      this.#random.chance(0.06) ? { ...each, width: null, height: null, durationMs: null } : each,
    );
  }

  /** Adds a timestamp of the video to the text of some tweets. */
  text(text: string, [video]: readonly AttachedMedia[]): string {
    if (video?.kind !== 'video' || video.durationMs === null || !this.#random.chance(0.3)) return text;
    const second = this.#random.int(1, Math.floor(video.durationMs / 1_000));
    return `${text} (${Math.floor(second / 60)}:${String(second % 60).padStart(2, '0')})`;
  }

  /**
   * Pins the tweet with the highest score for a fifth of the users and for the demo accounts that are not protected.
   */
  pinTweets(dataset: Dataset): void {
    for (const user of dataset.users.values()) {
      const isShown = user.protected === false && demoNames.some((name) => name === user.screenName);
      if ((!this.#random.chance(0.2) && !isShown) || user.state !== 'active') continue;
      const best = bestOf(user);
      if (best !== undefined) user.pinned.push(best.id);
    }
  }
}

function bestOf(user: User): SandboxTweet | undefined {
  let best: SandboxTweet | undefined;
  for (const tweet of user.tweets) {
    if (tweet.deleted || tweet.replyTo !== null) continue;
    if (best === undefined || tweet.score > best.score) best = tweet;
  }
  return best;
}
