import type { SandboxTweet } from '../dataset/types.ts';
import { type Directory, type Matcher, operatorOf } from './operators.ts';
import type { Query } from './parse.ts';

/** Compiles a query to a predicate on tweets. Screen names and lists in the query are resolved once. */
export function matcherOf(query: Query, directory: Directory): Matcher {
  switch (query.kind) {
    case 'text': {
      const terms = termsOf(query.text);
      if (terms.length > 0) {
        const wanted = joinTerms(terms);
        return (tweet) => joinedTerms(tweet).includes(wanted);
      }
      // The text has no words, for example only an emoji, so it is searched as a substring.
      const wanted = query.text.trim();
      return (tweet) => tweet.text.includes(wanted);
    }
    case 'hashtag':
      return (tweet) => tweet.entities.hashtags.some((hashtag) => hashtag.text.toLowerCase() === query.tag);
    case 'cashtag':
      return (tweet) => tweet.entities.symbols.some((symbol) => symbol.text.toLowerCase() === query.symbol);
    case 'mention': {
      const user = directory.userNamed(query.name);
      return (tweet) => user !== undefined && tweet.entities.mentions.some((mention) => mention.user === user);
    }
    case 'operator':
      return operatorOf(query.name, query.value)?.match(query.value, directory) ?? (() => false);
    case 'not': {
      const part = matcherOf(query.part, directory);
      return (tweet) => !part(tweet);
    }
    case 'and': {
      const parts = query.parts.map((part) => matcherOf(part, directory));
      return (tweet) => parts.every((part) => part(tweet));
    }
    case 'or': {
      const parts = query.parts.map((part) => matcherOf(part, directory));
      return (tweet) => parts.some((part) => part(tweet));
    }
  }
}

const known = new WeakMap<SandboxTweet, string>();

/** Returns the normalized words of the text, each with one space on both sides. */
function joinedTerms(tweet: SandboxTweet): string {
  let joined = known.get(tweet);
  if (joined === undefined) {
    joined = joinTerms(termsOf(tweet.text));
    known.set(tweet, joined);
  }
  return joined;
}

const WORD = /[\p{L}\p{M}\p{N}_]+(?:['’][\p{L}\p{N}_]+)*/gu;
const ASCII = /^[\t\n\r -~]*$/;
const ASCII_WORD = /[a-z0-9_]+(?:'[a-z0-9_]+)*/g;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Returns the normalized words of a text. Scripts that do not separate words by spaces are split into single
 * characters.
 */
export function termsOf(text: string): string[] {
  // A faster path for ASCII text, which is most of the dataset.
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  const terms: string[] = [];
  for (const [match] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    const word = match.replaceAll('’', "'");
    if (UNSPACED.test(word)) terms.push(...word);
    else terms.push(word);
  }
  return terms;
}

/** Joins words with single spaces, including one at each end, so that a phrase can be found as a substring. */
export function joinTerms(terms: readonly string[]): string {
  return ` ${terms.join(' ')} `;
}
