import type { Entities } from '../../shared/model/entities.ts';
import type { Media } from '../../shared/model/media.ts';
import type { QuotedTweet, Tweet } from '../../shared/model/tweet.ts';
import {
  flag,
  InvalidResponseError,
  id,
  list,
  nullable,
  object,
  readCount,
  readTweetTime,
  text,
  type Wire,
} from '../http/wire.ts';
import type { CreatedTweet } from '../port.ts';
import { readAuthor } from './read-user.ts';

/**
 * The maximum length of the text of a tweet and of the URLs in it, in UTF-16 code units. The platform counts a URL of any length as 23
 * characters, but refuses longer texts.
 */
const maxTextLength = 200_000;
/** More than the pictures and videos of any tweet. */
const maxMedia = 16;

/** Converts the tweets of a page. Tombstones, which stand for tweets that the actor may not see, are left out. */
export function readTweets(page: Wire): Tweet[] {
  const tweets: Tweet[] = [];
  for (const item of list(page.tweets, 'tweets')) {
    const tweet = object(item, 'tweets[]');
    if (!isTombstone(tweet)) tweets.push(readTweet(tweet));
  }
  return tweets;
}

export function readTweet(tweet: Wire): Tweet {
  const quoted = nullable(object, tweet.quoted, 'quoted');
  const quotedId = quoted?.id ?? null;
  if (quoted === null || isTombstone(quoted)) return readTweetAround(tweet, quotedId, null);
  return readTweetAround(tweet, quotedId, readTweetAround(quoted, quoted.quoted_id ?? null, null));
}

export function readCreatedTweet(body: Wire): CreatedTweet {
  const tweet = object(body.tweet, 'tweet');
  return {
    id: id(tweet.id, 'id'),
    text: text(tweet.text, 'text', maxTextLength),
    createdAt: readTweetTime(tweet.created_at, 'created_at'),
    pendingModeration: flag(tweet.pending_moderation, 'pending_moderation'),
    communityId: nullable(text, tweet.community_id, 'community_id'),
  };
}

function isTombstone(item: Wire): boolean {
  const kind = text(item.kind, 'kind');
  if (kind !== 'tweet' && kind !== 'tombstone') throw new InvalidResponseError(`kind is "${kind.slice(0, 40)}"`);
  return kind === 'tombstone';
}

/**
 * Builds the tweet as a single object literal. Spreading several objects would take twice the time, both here and in
 * serialization, and this is a hot path.
 */
function readTweetAround<Quoted extends QuotedTweet | null>(tweet: Wire, quotedId: unknown, quoted: Quoted) {
  const counts = object(tweet.counts, 'counts');
  const inReplyTo = nullable(object, tweet.in_reply_to, 'in_reply_to');
  const pageUrl = text(tweet.page_url, 'page_url');
  const words = text(tweet.text, 'text', maxTextLength);
  return {
    type: 'tweet' as const,
    id: id(tweet.id, 'id'),
    url: pageUrl,
    platformUrl: pageUrl,
    text: words,
    source: nullable(text, tweet.source, 'source'),
    retweetCount: readCount(counts.retweets, 'retweets'),
    replyCount: readCount(counts.replies, 'replies'),
    likeCount: readCount(counts.likes, 'likes'),
    quoteCount: readCount(counts.quotes, 'quotes'),
    bookmarkCount: readCount(counts.bookmarks, 'bookmarks'),
    viewCount: nullable(readCount, counts.views, 'views'),
    createdAt: readTweetTime(tweet.created_at, 'created_at'),
    lang: text(tweet.lang, 'lang'),
    isReply: inReplyTo !== null,
    inReplyToId: inReplyTo && id(inReplyTo.tweet_id, 'tweet_id'),
    inReplyToUserId: inReplyTo && id(inReplyTo.user_id, 'user_id'),
    conversationId: nullable(id, tweet.conversation_id, 'conversation_id'),
    media: list(tweet.media, 'media', maxMedia).map(readMedia),
    entities: readEntities(object(tweet.entities, 'entities'), words.length),
    author: readAuthor(object(tweet.author, 'author')),
    quoted_tweet_id: nullable(id, quotedId, 'quoted_id'),
    quoted_tweet: quoted,
  };
}

function readMedia(item: unknown): Media {
  const media = object(item, 'media[]');
  return {
    type: text(media.kind, 'kind'),
    url: text(media.url, 'url'),
    expanded_url: nullable(text, media.expanded_url, 'expanded_url'),
    video_url: nullable(text, media.video_url, 'video_url'),
    width: nullable(readCount, media.width, 'width'),
    height: nullable(readCount, media.height, 'height'),
    duration_ms: nullable(readCount, media.duration_ms, 'duration_ms'),
  };
}

/** Each entity covers at least one character of the text, so `max` is the length of the text. */
function readEntities(entities: Wire, max: number): Entities {
  return {
    hashtags: list(entities.hashtags, 'hashtags', max).map(readTag),
    symbols: list(entities.symbols, 'symbols', max).map(readTag),
    timestamps: list(entities.timestamps, 'timestamps', max).map(readTag),
    urls: list(entities.urls, 'urls', max).map(readUrl),
    user_mentions: list(entities.user_mentions, 'user_mentions', max).map(readMention),
  };
}

function readTag(item: unknown): Entities['hashtags'][number] {
  const tag = object(item, 'entities tag');
  return { text: text(tag.text, 'text'), indices: readIndices(tag) };
}

function readUrl(item: unknown): Entities['urls'][number] {
  const url = object(item, 'entities.urls[]');
  return {
    url: text(url.url, 'url', maxTextLength),
    expanded_url: text(url.expanded_url, 'expanded_url', maxTextLength),
    display_url: text(url.display_url, 'display_url', maxTextLength),
    indices: readIndices(url),
  };
}

function readMention(item: unknown): Entities['user_mentions'][number] {
  const mention = object(item, 'entities.user_mentions[]');
  return {
    id: id(mention.id, 'id'),
    screen_name: text(mention.screen_name, 'screen_name'),
    name: text(mention.name, 'name'),
    indices: readIndices(mention),
  };
}

function readIndices(from: Wire): [number, number] {
  const [start, end] = list(from.indices, 'indices');
  if (typeof start !== 'number' || typeof end !== 'number')
    throw new InvalidResponseError('indices are not two numbers');
  return [start, end];
}
