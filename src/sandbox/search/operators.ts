import { tweetCounts } from '../dataset/counts.ts';
import type { List, SandboxTweet, User } from '../dataset/types.ts';
import type { Viewer } from '../dataset/visibility.ts';

export type Matcher = (tweet: SandboxTweet) => boolean;

/** The data that search operators read. Its counts include only what the viewer may see. */
export interface Directory {
  readonly viewer: Viewer;
  userNamed(screenName: string): User | undefined;
  readonly lists: ReadonlyMap<string, List>;
}

interface Operator {
  /** The values that the operator takes, and their description for messages. */
  readonly takes: RegExp;
  readonly needs: string;
  /** True if X refuses a query that has only such operators. */
  readonly restricts: boolean;
  match(value: string, directory: Directory): Matcher;
}

const name = { takes: /^@?\w{1,15}$/, needs: 'a screen name', restricts: false };
const id = { takes: /^\d{1,19}$/, needs: 'an id', restricts: false };
const count = { takes: /^\d{1,9}$/, needs: 'a whole number', restricts: false };

const atLeast =
  (name: 'likes' | 'replies' | 'retweets') =>
  (value: string, { viewer }: Directory): Matcher =>
  (tweet) =>
    tweetCounts(tweet, viewer)[name] >= Number(value);
const userOf = (value: string, { userNamed }: Directory) => userNamed(value.replace(/^@/, ''));
const hasMedia = (of?: string) => (tweet: SandboxTweet) =>
  tweet.media.some((media) => of === undefined || media.kind === of);
const isVerified = ({ author }: SandboxTweet) => author.verified || author.premium;

/** Operators with fixed values, such as `has:links`. */
const kinds: Readonly<Record<string, Matcher>> = {
  'has:cashtags': (tweet) => tweet.entities.symbols.length > 0,
  'has:geo': () => false,
  'has:hashtags': (tweet) => tweet.entities.hashtags.length > 0,
  'has:images': hasMedia('photo'),
  'has:links': (tweet) => tweet.entities.urls.length > 0,
  'has:media': hasMedia(),
  'has:mentions': (tweet) => tweet.entities.mentions.length > 0,
  'has:video_link': hasMedia('video'),
  'has:videos': hasMedia('video'),
  'is:quote': (tweet) => tweet.quoteOf !== null,
  'is:reply': (tweet) => tweet.replyTo !== null,
  // X's search has found no reposts since 4 May 2026.
  'is:retweet': () => false,
  'is:verified': isVerified,
};

const operators: Readonly<Record<string, Operator>> = {
  conversation_id: { ...id, match: (value) => (tweet) => tweet.conversationId === value },
  from: {
    ...name,
    match(value, directory) {
      const user = userOf(value, directory);
      return (tweet) => tweet.author === user;
    },
  },
  in_reply_to_tweet_id: { ...id, match: (value) => (tweet) => tweet.replyTo?.id === value },
  lang: {
    takes: /^[a-z]{2,3}(?:-[a-z]{2,4})?$/i,
    needs: 'a language code',
    restricts: true,
    match: (value) => (tweet) => tweet.lang === value.toLowerCase(),
  },
  list: {
    ...id,
    match(value, { lists }) {
      const members = new Set(lists.get(value)?.members);
      return (tweet) => members.has(tweet.author);
    },
  },
  min_likes: { ...count, match: atLeast('likes') },
  min_replies: { ...count, match: atLeast('replies') },
  min_reposts: { ...count, match: atLeast('retweets') },
  to: {
    ...name,
    match(value, directory) {
      const user = userOf(value, directory);
      return (tweet) => user !== undefined && tweet.replyTo?.author === user;
    },
  },
  url: {
    takes: /./,
    needs: 'an address',
    restricts: false,
    match(value) {
      const part = value.toLowerCase();
      return (tweet) => tweet.entities.urls.some(({ expanded_url }) => expanded_url.toLowerCase().includes(part));
    },
  },
};

/** Returns the operator of `name:value`, or undefined if there is none. */
export function operatorOf(name: string, value: string): Operator | undefined {
  const fixed = kinds[`${name}:${value.toLowerCase()}`];
  return fixed === undefined ? operators[name] : { takes: /./, needs: '', restricts: true, match: () => fixed };
}
