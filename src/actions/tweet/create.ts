import { z } from 'zod';
import { mediaUrl } from '../../media/media-input.ts';
import { refuseMixed, uploadAll, withMedia } from '../../media/take-media.ts';
import { malformedField } from '../../shared/errors/fields.ts';
import { numericId, tweetTime } from '../../shared/model/scalars.ts';
import { flatPrice, platformAction } from '../action.ts';
import { anyOf, atMostOneOf, missing } from '../input/input.ts';

/**
 * The address of a tweet: host and id. The scheme is optional; user information is refused. What follows the id is ignored, as
 * in `/photo/1` or `?s=20`. The platform decides which hosts are accepted.
 */
const tweetUrlPattern =
  /^(?:https?:\/\/)?([a-z0-9.-]+(?::\d{1,5})?|\[[0-9a-f:]+\](?::\d{1,5})?)\/(?:i\/web|[^/?#@\\\s]+)\/status(?:es)?\/(\d{1,20})(?:[/?#]\S*)?$/i;

/** The pattern of the published schema. It accepts the usual hosts in lower case, because the hosts depend on the platform. */
const usualTweetUrl =
  '^(?:https?://)?(?:(?:(?:www|mobile|m)\\.)?(?:x|twitter)\\.com|(?:localhost|127\\.0\\.0\\.1)(?::[0-9]{1,5})?)' +
  '/(?:i/web|[A-Za-z0-9_]+)/status(?:es)?/[0-9]{1,20}(?:[/?#][!-~]*)?$';

const notATweet = 'must be the address of a tweet on this platform, such as https://x.com/<user>/status/<id>';

const tweetUrl = z
  .string()
  .max(2048, 'must be at most 2048 characters')
  .regex(tweetUrlPattern, notATweet)
  .meta({ pattern: usualTweetUrl, examples: ['https://x.com/ada/status/1989000000000000000'] });

const mostMedia = 4;
const tooMany = `holds more than ${mostMedia} pieces of media in all`;
const shown = ['photo', 'gif', 'video'] as const;

export const createTweet = platformAction({
  name: 'tweet/create',
  method: 'POST',
  path: '/tweet/create',
  summary: 'Post a tweet, a reply or a quote',
  atProtocol: '`com.atproto.repo.createRecord`; no duplicate check, the record key as idempotency token',
  price: flatPrice,
  effect: 'once',
  input: z
    .object({
      text: z
        .string()
        .refine((text) => text.isWellFormed(), 'holds half of a surrogate pair')
        .optional()
        .meta({
          description: 'Up to 280 weighted characters; 25,000 for a premium account. Required if there is no media.',
          examples: ['The ferry is late, and nobody minds.'],
        }),
      reply_to_tweet_id: numericId.optional().meta({ description: 'Id of the tweet to reply to.' }),
      quote_tweet_id: numericId.optional().meta({ description: 'Id of the tweet to quote.' }),
      quote_tweet_url: tweetUrl.optional().meta({
        description:
          "Address of the tweet to quote, instead of `quote_tweet_id`: `<user>/status/<id>` or `i/web/status/<id>` on x.com, twitter.com (also `www.` and `mobile.`) or the platform's own host, with or without a scheme.",
      }),
      media_ids: z
        .array(numericId)
        .max(mostMedia, tooMany)
        .refine((ids) => new Set(ids).size === ids.length, 'names the same media twice')
        .optional()
        .meta({ description: 'Ids of uploaded media to attach: up to four photos, or one video, or one GIF.' }),
      media_urls: z.array(mediaUrl).max(mostMedia, tooMany).optional().meta({
        description: 'Addresses of media to fetch and attach, after the media of `media_ids`.',
      }),
    })
    .check(anyOf('text', 'media_ids', 'media_urls'), atMostOneOf('quote_tweet_id', 'quote_tweet_url'))
    .check(({ value, issues }) => {
      const { text = '', media_ids: ids = [], media_urls: urls = [] } = value;
      const media = ids.length + urls.length;
      if (text === '' && media === 0) issues.push(missing(['text', 'media_ids', 'media_urls'], value));
      if (media > mostMedia) issues.push({ code: 'custom', path: ['media_urls'], message: tooMany, input: value });
    }),
  example: { text: 'The ferry is late, and nobody minds.' },
  output: z.object({
    id: numericId.meta({ description: "The platform's id of the tweet." }),
    text: z.string().meta({ description: 'The text of the tweet, as posted.' }),
    createdAt: tweetTime.meta({ description: 'When the tweet was posted.' }),
    pending_moderation: z.boolean().meta({ description: 'True while other users cannot see the tweet yet.' }),
    community_id: z.string().meta({ description: 'Id of the community; empty if the tweet is in none.' }),
  }),
  validate({ quote_tweet_url: url }, platform) {
    if (url === undefined || platform.isTweetHost(readTweetUrl(url).host)) return;
    throw malformedField('quote_tweet_url', notATweet);
  },
  async run({ platform, media }, input) {
    const { text = '', media_ids: ids = [], media_urls: urls = [], quote_tweet_url: quoteUrl } = input;
    const wanted = urls.map((url, at) => ({ source: { url }, rules: { field: `media_urls[${at}]`, kinds: shown } }));
    const created = await withMedia(media, wanted, async (taken) => {
      refuseMixed(taken, ids.length, 'media_urls');
      const uploaded = taken.length === 0 ? [] : await uploadAll(platform.media, taken);
      return platform.createTweet({
        text,
        replyToTweetId: input.reply_to_tweet_id ?? null,
        quoteTweetId: input.quote_tweet_id ?? (quoteUrl === undefined ? null : readTweetUrl(quoteUrl).id),
        mediaIds: [...ids, ...uploaded],
      });
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

function readTweetUrl(url: string): { host: string; id: string } {
  const [, host = '', id = ''] = tweetUrlPattern.exec(url) ?? [];
  return { host: host.toLowerCase(), id };
}
