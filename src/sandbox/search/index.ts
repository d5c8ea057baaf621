import type { SandboxTweet, User } from '../dataset/types.ts';
import { filterMatcher } from './match.ts';
import { filters, type Query } from './parse.ts';
import { signsOf, termsOf } from './terms.ts';

/** A list of positions that is made only if it is the best there is; `size` is the most that it can hold. */
interface Plan {
  readonly size: number;
  list(): readonly number[];
}

/**
 * Which tweets could match: positions in the dataset's order, ascending, by key. A superset is enough, since the matcher
 * looks at every candidate; `undefined` means that all must be looked at.
 */
export class SearchIndex {
  readonly #postings = new Map<string, number[]>();
  #size = 0;

  add(tweet: SandboxTweet): void {
    this.#size++;
    for (const key of new Set(keysOf(tweet))) {
      const positions = this.#postings.get(key);
      if (positions === undefined) this.#postings.set(key, [tweet.position]);
      else positions.push(tweet.position);
    }
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
    return ready(this.#postings.get(key) ?? []);
  }

  #rarest(text: string): Plan | undefined {
    const terms = termsOf(text);
    return smallest((terms.length > 0 ? terms : signsOf(text)).map((key) => this.#of(key)));
  }

  /** With so many that most tweets are among them, to look at all is quicker than to merge. */
  #union(plans: readonly (Plan | undefined)[]): Plan | undefined {
    const known = plans.filter((plan) => plan !== undefined);
    const size = known.reduce((sum, plan) => sum + plan.size, 0);
    if (known.length < plans.length || size > this.#size / 3) return undefined;
    return { size, list: () => merged(known.map((plan) => plan.list())) };
  }
}

function keysOf(tweet: SandboxTweet): string[] {
  const keys = [...tweet.terms.trim().split(' '), ...signsOf(tweet.text)];
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
  // Numbers in an array of their own kind are sorted without a function to compare them.
  const sorted = Uint32Array.from(lists.flat()).sort();
  const positions: number[] = [];
  for (const position of sorted) if (position !== positions.at(-1)) positions.push(position);
  return positions;
}
