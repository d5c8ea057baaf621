import { compareIds } from './snowflake.ts';
import type { SandboxTweet } from './types.ts';

export type Ranked = Pick<SandboxTweet, 'score' | 'id'>;

/** Best first; the later first among equals. */
export function compareRank(a: Ranked, b: Ranked): number {
  return b.score - a.score || compareIds(b.id, a.id);
}

/** All tweets, best first. Sorted when first asked for: to find a place for each of a whole dataset one by one is slow. */
export class Ranking {
  readonly #all: readonly SandboxTweet[];
  #sorted: SandboxTweet[] | undefined;

  constructor(all: readonly SandboxTweet[]) {
    this.#all = all;
  }

  get tweets(): readonly SandboxTweet[] {
    this.#sorted ??= [...this.#all].sort(compareRank);
    return this.#sorted;
  }

  /** Is told of every new tweet. */
  add(tweet: SandboxTweet): void {
    this.#sorted?.splice(this.placeOf(tweet), 0, tweet);
  }

  /** How many stand before a tweet of this score and id. */
  placeOf(ranked: Ranked): number {
    const { tweets } = this;
    let low = 0;
    let high = tweets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = tweets[middle];
      if (other !== undefined && compareRank(other, ranked) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
