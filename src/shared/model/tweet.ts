import { z } from 'zod';
import { author } from './author.ts';
import { entities } from './entities.ts';
import { media } from './media.ts';
import { count, numericId, tweetTime } from './scalars.ts';

const plainTweet = z.object({
  type: z.literal('tweet'),
  id: numericId,
  url: z.string().nullable(),
  platformUrl: z.string().nullable(),
  text: z.string(),
  source: z.string().nullable(),
  retweetCount: count,
  replyCount: count,
  likeCount: count,
  quoteCount: count,
  bookmarkCount: count,
  viewCount: count.nullable(),
  createdAt: tweetTime,
  lang: z.string(),
  isReply: z.boolean(),
  inReplyToId: numericId.nullable(),
  inReplyToUserId: numericId.nullable(),
  conversationId: numericId.nullable(),
  media: z.array(media),
  entities,
  author,
});

/** A tweet inside another; what it quotes itself is left out. */
export const quotedTweet = plainTweet.extend({ quoted_tweet: z.null() }).meta({ id: 'QuotedTweet' });

/** A short post (SPEC.md, Tweet). A quoted tweet that cannot be seen (deleted, protected, suspended) is null. */
export const tweet = plainTweet.extend({ quoted_tweet: quotedTweet.nullable() }).meta({ id: 'Tweet' });

export type QuotedTweet = z.infer<typeof quotedTweet>;
export type Tweet = z.infer<typeof tweet>;
