import type { Tweet, User } from '../world/types.ts';
import type { Query } from './parse.ts';
import { termsOf } from './terms.ts';

/**
 * Which tweets could match: positions in the world's order, ascending, by key. A superset is enough, since the matcher
 * looks at every candidate; `undefined` means that all must be looked at.
 */
export class SearchIndex {
  readonly #postings = new Map<string, number[]>();

  add(tweet: Tweet): void {
    for (const key of new Set(keysOf(tweet))) {
      const positions = this.#postings.get(key);
      if (positions === undefined) this.#postings.set(key, [tweet.position]);
      else positions.push(tweet.position);
    }
  }

  candidates(query: Query, userNamed: (screenName: string) => User | undefined): readonly number[] | undefined {
    switch (query.kind) {
      case 'text':
        return this.#rarest(termsOf(query.text));
      case 'hashtag':
        return this.#of(`#${query.tag}`);
      case 'cashtag':
        return this.#of(`$${query.symbol}`);
      case 'mention':
        return this.#of(`@${userNamed(query.name)?.id}`);
      case 'from':
        return userNamed(query.name)?.tweets ?? [];
      case 'to':
        return this.#of(`>${userNamed(query.name)?.id}`);
      case 'and':
        return shortest(query.parts.map((part) => this.candidates(part, userNamed)));
      case 'or': {
        const lists = query.parts.map((part) => this.candidates(part, userNamed));
        return lists.every((list) => list !== undefined) ? union(lists) : undefined;
      }
      default:
        return undefined;
    }
  }

  #of(key: string): readonly number[] {
    return this.#postings.get(key) ?? [];
  }

  #rarest(terms: readonly string[]): readonly number[] | undefined {
    return shortest(terms.map((term) => this.#of(term)));
  }
}

function keysOf(tweet: Tweet): string[] {
  const keys = tweet.terms.trim().split(' ');
  for (const hashtag of tweet.entities.hashtags) keys.push(`#${hashtag.text.toLowerCase()}`);
  for (const symbol of tweet.entities.symbols) keys.push(`$${symbol.text.toLowerCase()}`);
  for (const mention of tweet.entities.mentions) keys.push(`@${mention.user.id}`);
  if (tweet.replyTo !== null) keys.push(`>${tweet.replyTo.userId}`);
  return keys;
}

function shortest(lists: readonly (readonly number[] | undefined)[]): readonly number[] | undefined {
  let best: readonly number[] | undefined;
  for (const list of lists) {
    if (list !== undefined && (best === undefined || list.length < best.length)) best = list;
  }
  return best;
}

function union(lists: readonly (readonly number[])[]): number[] {
  return [...new Set(lists.flat())].sort((a, b) => a - b);
}
