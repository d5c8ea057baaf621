import type { Entities } from '../../shared/model/entities.ts';
import type { Media } from '../../shared/model/media.ts';
import type { QuotedTweet, Tweet } from '../../shared/model/tweet.ts';
import type { CreatedTweet } from '../port.ts';
import { readAuthor } from './read-user.ts';
import { asWire, count, flag, id, list, NonsenseError, nullable, object, text, tweetTime, type Wire } from './wire.ts';

/** Reads the tweets of a page. Tombstones (tweets that the actor may no longer see) are left out. */
export function readTweets(page: Wire): Tweet[] {
  const tweets: Tweet[] = [];
  for (const item of list(page, 'tweets')) {
    const tweet = asWire(item, 'tweets[]');
    if (!isTombstone(tweet)) tweets.push(readTweet(tweet));
  }
  return tweets;
}

export function readTweet(tweet: Wire): Tweet {
  const quoted = nullable(object, tweet, 'quoted');
  return readTweetAround(tweet, quoted === null || isTombstone(quoted) ? null : readTweetAround(quoted, null));
}

export function readCreatedTweet(body: Wire): CreatedTweet {
  const tweet = object(body, 'tweet');
  return {
    id: id(tweet, 'id'),
    text: text(tweet, 'text'),
    createdAt: tweetTime(tweet, 'created_at'),
    pendingModeration: flag(tweet, 'pending_moderation'),
    communityId: nullable(text, tweet, 'community_id'),
  };
}

function isTombstone(item: Wire): boolean {
  const kind = text(item, 'kind');
  if (kind !== 'tweet' && kind !== 'tombstone') throw new NonsenseError(`kind is "${kind.slice(0, 40)}"`);
  return kind === 'tombstone';
}

/** Builds a tweet as one object literal. On this hot path, spreading several objects doubles the cost here and in serialization. */
function readTweetAround<Quoted extends QuotedTweet | null>(tweet: Wire, quoted: Quoted) {
  const counts = object(tweet, 'counts');
  const inReplyTo = nullable(object, tweet, 'in_reply_to');
  const pageUrl = text(tweet, 'page_url');
  return {
    type: 'tweet' as const,
    id: id(tweet, 'id'),
    url: pageUrl,
    platformUrl: pageUrl,
    text: text(tweet, 'text'),
    source: nullable(text, tweet, 'source'),
    retweetCount: count(counts, 'retweets'),
    replyCount: count(counts, 'replies'),
    likeCount: count(counts, 'likes'),
    quoteCount: count(counts, 'quotes'),
    bookmarkCount: count(counts, 'bookmarks'),
    viewCount: nullable(count, counts, 'views'),
    createdAt: tweetTime(tweet, 'created_at'),
    lang: text(tweet, 'lang'),
    isReply: inReplyTo !== null,
    inReplyToId: inReplyTo && id(inReplyTo, 'tweet_id'),
    inReplyToUserId: inReplyTo && id(inReplyTo, 'user_id'),
    conversationId: nullable(id, tweet, 'conversation_id'),
    media: list(tweet, 'media').map(readMedia),
    entities: readEntities(object(tweet, 'entities')),
    author: readAuthor(object(tweet, 'author')),
    quoted_tweet: quoted,
  };
}

function readMedia(item: unknown): Media {
  const media = asWire(item, 'media[]');
  return {
    type: text(media, 'kind'),
    url: text(media, 'url'),
    expanded_url: nullable(text, media, 'expanded_url'),
    video_url: nullable(text, media, 'video_url'),
    width: nullable(count, media, 'width'),
    height: nullable(count, media, 'height'),
    duration_ms: nullable(count, media, 'duration_ms'),
  };
}

function readEntities(entities: Wire): Entities {
  return {
    hashtags: list(entities, 'hashtags').map(readTag),
    symbols: list(entities, 'symbols').map(readTag),
    timestamps: list(entities, 'timestamps').map(readTag),
    urls: list(entities, 'urls').map(readUrl),
    user_mentions: list(entities, 'user_mentions').map(readMention),
  };
}

function readTag(item: unknown): Entities['hashtags'][number] {
  const tag = asWire(item, 'entities tag');
  return { text: text(tag, 'text'), indices: readIndices(tag) };
}

function readUrl(item: unknown): Entities['urls'][number] {
  const url = asWire(item, 'entities.urls[]');
  return {
    url: text(url, 'url'),
    expanded_url: text(url, 'expanded_url'),
    display_url: text(url, 'display_url'),
    indices: readIndices(url),
  };
}

function readMention(item: unknown): Entities['user_mentions'][number] {
  const mention = asWire(item, 'entities.user_mentions[]');
  return {
    id: id(mention, 'id'),
    screen_name: text(mention, 'screen_name'),
    name: text(mention, 'name'),
    indices: readIndices(mention),
  };
}

function readIndices(from: Wire): [number, number] {
  const [start, end] = list(from, 'indices');
  if (typeof start !== 'number' || typeof end !== 'number') throw new NonsenseError('indices are not two numbers');
  return [start, end];
}
