import type { SandboxTweet, User } from '../dataset/types.ts';
import { filterMatcher } from './match.ts';
import { filters, type Query } from './parse.ts';
import { symbolsOf, termsOf } from './terms.ts';

/** A candidate list that is computed only if it is chosen as the shortest. `size` is an upper bound of its length. */
interface Plan {
  readonly size: number;
  list(): readonly number[];
}

/** The posting lists of a snapshot. The list of `keys()[i]` ends at `ends[i]`. */
export interface StoredPostings {
  /** The number of indexed tweets. */
  readonly size: number;
  readonly positions: Uint16Array;
  readonly ends: Uint32Array;
  keys(): readonly string[];
}

const none: readonly number[] = [];

/**
 * An index from terms and filters to the ascending positions of tweets. A lookup returns candidates, a superset of the
 * matches, because the matcher tests each candidate. `undefined` means that every tweet must be tested.
 */
export class SearchIndex {
  readonly #postings = new Map<string, number[]>();
  readonly #stored: StoredPostings | undefined;
  /** The index of each key in the stored postings. Created by the first lookup. */
  #places: Map<string, number> | undefined;
  #size: number;

  constructor(stored?: StoredPostings) {
    this.#stored = stored;
    this.#size = stored?.size ?? 0;
  }

  add(tweet: SandboxTweet): void {
    this.#size++;
    for (const key of new Set(keysOf(tweet))) {
      const positions = this.#positionsOf(key);
      if (positions === undefined) this.#postings.set(key, [tweet.position]);
      else positions.push(tweet.position);
    }
  }

  /** Returns all posting lists for a snapshot. Must not be called after a tweet was added to stored postings. */
  store(): Omit<StoredPostings, 'keys'> & { readonly keys: readonly string[] } {
    const lists = [...this.#postings.values()];
    let end = 0;
    const ends = Uint32Array.from(lists, ({ length }) => (end += length));
    return { size: this.#size, keys: [...this.#postings.keys()], positions: Uint16Array.from(lists.flat()), ends };
  }

  candidates(query: Query, userNamed: (screenName: string) => User | undefined): readonly number[] | undefined {
    return this.#plan(query, userNamed)?.list();
  }

  #plan(query: Query, userNamed: (screenName: string) => User | undefined): Plan | undefined {
    switch (query.kind) {
      case 'text':
        return this.#rarest(query.text);
      case 'hashtag':
        return this.#of(`#${query.tag}`);
      case 'cashtag':
        return this.#of(`$${query.symbol}`);
      case 'mention':
        return this.#of(`@${userNamed(query.name)?.id}`);
      case 'from':
        return ready(userNamed(query.name)?.tweets ?? []);
      case 'to':
        return this.#of(`>${userNamed(query.name)?.id}`);
      case 'filter':
        return this.#of(`filter:${query.filter}`);
      case 'and':
        return smallest(query.parts.map((part) => this.#plan(part, userNamed)));
      case 'or':
        return this.#union(query.parts.map((part) => this.#plan(part, userNamed)));
      default:
        return undefined;
    }
  }

  #of(key: string): Plan {
    return ready(this.#positionsOf(key) ?? none);
  }

  /** Returns the posting list of a key. Stored positions are decoded on first use. */
  #positionsOf(key: string): number[] | undefined {
    const known = this.#postings.get(key);
    if (known !== undefined || this.#stored === undefined) return known;
    this.#places ??= new Map(this.#stored.keys().map((each, place) => [each, place]));
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const { positions, ends } = this.#stored;
    const read = Array.from(positions.subarray(ends[place - 1] ?? 0, ends[place]));
    this.#postings.set(key, read);
    return read;
  }

  #rarest(text: string): Plan | undefined {
    const terms = termsOf(text);
    return smallest((terms.length > 0 ? terms : symbolsOf(text)).map((key) => this.#of(key)));
  }

  /** If the union covers most tweets, testing all tweets is faster than merging the lists. */
  #union(plans: readonly (Plan | undefined)[]): Plan | undefined {
    const known = plans.filter((plan) => plan !== undefined);
    const size = known.reduce((sum, plan) => sum + plan.size, 0);
    if (known.length < plans.length || size > this.#size / 3) return undefined;
    return { size, list: () => merged(known.map((plan) => plan.list())) };
  }
}

function keysOf(tweet: SandboxTweet): string[] {
  const keys = [...tweet.terms.trim().split(' '), ...symbolsOf(tweet.text)];
  for (const hashtag of tweet.entities.hashtags) keys.push(`#${hashtag.text.toLowerCase()}`);
  for (const symbol of tweet.entities.symbols) keys.push(`$${symbol.text.toLowerCase()}`);
  for (const mention of tweet.entities.mentions) keys.push(`@${mention.user.id}`);
  if (tweet.replyTo !== null) keys.push(`>${tweet.replyTo.userId}`);
  for (const filter of filters) if (filterMatcher[filter](tweet)) keys.push(`filter:${filter}`);
  return keys;
}

function ready(positions: readonly number[]): Plan {
  return { size: positions.length, list: () => positions };
}

function smallest(plans: readonly (Plan | undefined)[]): Plan | undefined {
  let best: Plan | undefined;
  for (const plan of plans) if (plan !== undefined && (best === undefined || plan.size < best.size)) best = plan;
  return best;
}

function merged(lists: readonly (readonly number[])[]): number[] {
  // Typed arrays sort numerically without a comparison function, which is faster.
  const sorted = Uint32Array.from(lists.flat()).sort();
  const positions: number[] = [];
  for (const position of sorted) if (position !== positions.at(-1)) positions.push(position);
  return positions;
}
