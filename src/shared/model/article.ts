import { z } from 'zod';
import { isoTime, numericId } from './scalars.ts';

export const articleStatus = z.enum(['draft', 'published'], 'must be draft or published').meta({ id: 'ArticleStatus' });
export type ArticleStatus = z.infer<typeof articleStatus>;

export const articleId = numericId.meta({ description: "The platform's id of the article." });

const url = z.string().nullable();

/** An article in a list (docs/rest.md, Shapes). */
export const articleSummary = z
  .object({
    article_id: articleId,
    title: z.string().meta({ description: 'Title of the article.' }),
    status: articleStatus.meta({ description: 'Draft or published.' }),
    tweet_id: numericId.nullable().meta({ description: 'Id of the tweet that wraps the article; null for a draft.' }),
    draft_url: url.meta({ description: 'Address of a draft, for its author only; null if it is published.' }),
    public_url: url.meta({ description: 'Public address of a published article; null for a draft.' }),
    cover_media_id: numericId.nullable().meta({ description: 'Id of the cover; null if there is none.' }),
    created_at: isoTime.meta({ description: 'When the article was created.' }),
    updated_at: isoTime.meta({ description: 'When the article was last edited.' }),
  })
  .meta({ id: 'ArticleSummary', description: 'An article, without its content.' });

export const article = articleSummary
  .extend({ content: z.string().meta({ description: 'The content of the article as Markdown.' }) })
  .meta({ id: 'Article', description: 'An article.' });

export type ArticleSummary = z.infer<typeof articleSummary>;
export type Article = z.infer<typeof article>;
