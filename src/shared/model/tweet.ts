import { z } from 'zod';
import { entities } from './entities.ts';
import { media } from './media.ts';
import { count, numericId, tweetId, tweetTime } from './scalars.ts';
import { author } from './user.ts';

const plainTweet = z.object({
  type: z.literal('tweet'),
  id: tweetId,
  url: z.string().nullable().meta({ description: 'Address of the tweet.' }),
  platformUrl: z.string().nullable().meta({ description: 'Address of the tweet under another name of the platform.' }),
  text: z.string().meta({ description: 'The text of the tweet.' }),
  source: z.string().nullable().meta({ description: 'Name of the client that the tweet was posted with.' }),
  retweetCount: count.meta({ description: 'Number of retweets.' }),
  replyCount: count.meta({ description: 'Number of replies.' }),
  likeCount: count.meta({ description: 'Number of likes.' }),
  quoteCount: count.meta({ description: 'Number of tweets that quote the tweet.' }),
  bookmarkCount: count.meta({ description: 'Number of bookmarks.' }),
  viewCount: count.nullable().meta({ description: 'Number of views, if known.' }),
  createdAt: tweetTime.meta({ description: 'When the tweet was posted.' }),
  lang: z.string().meta({ description: 'Language code.' }),
  isReply: z.boolean().meta({ description: 'True if the tweet is a reply.' }),
  inReplyToId: numericId.nullable().meta({ description: 'Id of the tweet that this tweet replies to.' }),
  inReplyToUserId: numericId.nullable().meta({ description: 'Id of the user whom this tweet replies to.' }),
  conversationId: numericId.nullable().meta({ description: 'Id of the first tweet of the thread.' }),
  media: z.array(media).meta({ description: 'Photos, videos and animations.' }),
  entities: entities.meta({ description: 'The marked parts of the text.' }),
  author,
  quoted_tweet_id: numericId.nullable().meta({
    description:
      'Id of the tweet that this tweet quotes, even if `quoted_tweet` is null because that tweet is gone or hidden.',
  }),
});

/** A tweet that another tweet quotes. Its own quoted tweet is left out. */
export const quotedTweet = plainTweet.extend({ quoted_tweet: z.null() }).meta({ id: 'QuotedTweet' });

/** A tweet (docs/rest.md, Shapes). `quoted_tweet` is null if the quoted tweet is deleted, protected or suspended. */
export const tweet = plainTweet
  .extend({ quoted_tweet: quotedTweet.nullable() })
  .meta({ id: 'Tweet', description: 'A short post.' });

export type QuotedTweet = z.infer<typeof quotedTweet>;
export type Tweet = z.infer<typeof tweet>;
