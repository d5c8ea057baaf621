import { z } from 'zod';
import { numericId, tweetTime } from '../../../model/scalars.ts';
import { flatPrice, platformAction } from '../../action.ts';
import { atMostOneOf } from '../../input.ts';

/** The id in a tweet's address, such as `https://platform.example/ada/status/12`. */
const tweetUrlPattern = /^https?:\/\/[^/]+\/[^/]+\/status(?:es)?\/(\d{1,20})(?:[/?#]|$)/;

const tweetUrl = z
  .string()
  .max(2048, 'must be at most 2048 characters')
  .regex(tweetUrlPattern, 'must be the address of a tweet, …/status/<id>')
  .meta({ examples: ['http://127.0.0.1:4001/ada/status/1989000000000000000'] });

export const createTweet = platformAction({
  name: 'tweet/create',
  method: 'POST',
  path: '/tweet/create',
  summary: 'Post a tweet, a reply or a quote',
  price: flatPrice,
  effect: 'once',
  notBuilt: ['media_ids', 'media_urls'],
  input: z
    .object({
      text: z
        .string()
        .min(1)
        .refine((text) => text.isWellFormed(), 'holds half of a surrogate pair')
        .meta({ description: 'Up to 280 weighted characters; 25,000 for a premium account.' }),
      reply_to_tweet_id: numericId.optional().meta({ description: 'The tweet that this one answers.' }),
      quote_tweet_id: numericId.optional().meta({ description: 'The tweet to show inside this one.' }),
      quote_tweet_url: tweetUrl
        .optional()
        .meta({ description: 'Instead of `quote_tweet_id`: the id is read from it.' }),
    })
    .check(atMostOneOf('quote_tweet_id', 'quote_tweet_url')),
  example: { text: 'The ferry is late, and nobody minds.' },
  output: z.object({
    id: numericId,
    text: z.string(),
    createdAt: tweetTime,
    pending_moderation: z.boolean(),
    community_id: z.string().meta({ description: 'Empty where there is none.' }),
  }),
  async run({ platform }, input) {
    const created = await platform.createTweet({
      text: input.text,
      replyToTweetId: input.reply_to_tweet_id ?? null,
      quoteTweetId: input.quote_tweet_id ?? idIn(input.quote_tweet_url) ?? null,
    });
    return {
      id: created.id,
      text: created.text,
      createdAt: created.createdAt,
      pending_moderation: created.pendingModeration,
      community_id: created.communityId ?? '',
    };
  },
});

function idIn(url: string | undefined): string | undefined {
  return url && tweetUrlPattern.exec(url)?.[1];
}
