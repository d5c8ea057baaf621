import { z } from 'zod';
import { keepMetadata, mediaUrl } from '../../media/media-input.ts';
import { checkCombination, uploadAll, withMedia } from '../../media/take-media.ts';
import { malformedField } from '../../shared/errors/fields.ts';
import { numericId, tweetTime } from '../../shared/model/scalars.ts';
import { platformAction } from '../action.ts';
import { anyOf, atMostOneOf, missing } from '../input/input.ts';

/**
 * The pattern of the published schema. It matches the tweet URLs of the sandbox. `Platform.isTweetUrl` makes the actual
 * check.
 */
const usualTweetUrl =
  '^(?:https?://)?(?:(?:(?:www|mobile|m)\\.)?(?:x|twitter)\\.com|(?:localhost|127\\.0\\.0\\.1)(?::[0-9]{1,5})?)' +
  '/(?:i/web|[A-Za-z0-9_]+)/status(?:es)?/[0-9]{1,20}(?:[/?#][!-~]*)?$';

const tweetUrl = z
  .string()
  .max(2048, 'must be at most 2048 characters')
  .meta({ pattern: usualTweetUrl, examples: ['https://x.com/ada/status/1989000000000000000'] });

const mostMedia = 4;
const tooMany = `holds more than ${mostMedia} pieces of media in all`;
const altText = z
  .string()
  .max(2_000, 'must be at most 2000 characters')
  .refine((text) => text.isWellFormed(), 'holds half of a surrogate pair');
const language = z
  .string()
  .max(35, 'must be at most 35 characters')
  .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/, 'must be a language, such as en or pt-BR');
const shown = ['photo', 'gif', 'video'] as const;

export const createTweet = platformAction({
  name: 'tweet/create',
  method: 'POST',
  summary: 'Post a tweet, a reply or a quote',
  input: z
    .object({
      text: z
        .string()
        .refine((text) => text.isWellFormed(), 'holds half of a surrogate pair')
        .optional()
        .meta({
          description:
            'The platform limits the length (`text` of `capabilities`): the sandbox accepts up to 280 weighted characters, or 25,000 from a premium account. ' +
            'Required if there is no media.',
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
        description: 'URLs of media to download and attach after the media in `media_ids`.',
      }),
      keep_metadata: keepMetadata.meta({
        description:
          'True to keep the metadata of pictures in `media_urls` (position, camera), which is removed otherwise.',
      }),
      media_alt_texts: z
        .array(altText.nullable())
        .max(mostMedia, tooMany)
        .optional()
        .meta({
          description:
            'Descriptions of the media for people who cannot see it, in the order of `media_ids` and then `media_urls`; empty or null for none. X and the sandbox accept up to 1,000 characters each.',
          examples: [['A loom beside a window']],
        }),
      langs: z
        .array(language)
        .max(3, 'names more than three languages')
        .optional()
        .meta({
          description:
            'Languages of the text (BCP 47). Without them, the platform may detect the language. The sandbox ignores them.',
          examples: [['en', 'pt-BR']],
        }),
    })
    .check(anyOf('text', 'media_ids', 'media_urls'), atMostOneOf('quote_tweet_id', 'quote_tweet_url'))
    .check(({ value, issues }) => {
      const { text = '', media_ids: ids = [], media_urls: urls = [] } = value;
      const media = ids.length + urls.length;
      if (text === '' && media === 0) issues.push(missing(['text', 'media_ids', 'media_urls'], value));
      if (media > mostMedia) issues.push({ code: 'custom', path: ['media_urls'], message: tooMany, input: value });
      const lastText = value.media_alt_texts?.findLastIndex((text) => text !== null) ?? -1;
      if (lastText < media) return;
      issues.push({
        code: 'custom',
        path: ['media_alt_texts'],
        message: 'has more texts than there is media',
        input: value,
      });
    }),
  example: { text: 'The ferry is late, and nobody minds.' },
  output: z.object({
    id: numericId.meta({ description: "The platform's id of the tweet." }),
    text: z.string().meta({ description: 'The text of the tweet, as posted.' }),
    createdAt: tweetTime.meta({ description: 'When the tweet was posted.' }),
    pending_moderation: z.boolean().meta({ description: 'True while other users cannot see the tweet yet.' }),
    community_id: z.string().meta({ description: 'Id of the community; empty if the tweet is in no community.' }),
  }),
  validate({ quote_tweet_url: url }, platform) {
    if (url === undefined || platform.isTweetUrl(url)) return;
    const problem = `must be the address of a tweet on this platform, such as ${platform.tweetUrlForm}`;
    throw malformedField('quote_tweet_url', problem);
  },
  async run({ platform, media }, input) {
    const { text = '', media_ids: ids = [], media_urls: urls = [], quote_tweet_url: quoteUrl } = input;
    const rules = { kinds: shown, keepMetadata: input.keep_metadata };
    const wanted = urls.map((url, at) => ({ source: { url }, rules: { field: `media_urls[${at}]`, ...rules } }));
    const created = await withMedia(media, wanted, async (taken) => {
      checkCombination(taken, ids.length, 'media_urls');
      const uploaded = taken.length === 0 ? [] : await uploadAll(platform.media, taken);
      return platform.createTweet({
        text,
        replyToTweetId: input.reply_to_tweet_id ?? null,
        quoteTweetId: input.quote_tweet_id ?? null,
        quoteTweetUrl: quoteUrl ?? null,
        mediaIds: [...ids, ...uploaded],
        mediaAltTexts: (input.media_alt_texts ?? []).map((alt) => alt ?? ''),
        langs: input.langs ?? [],
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
