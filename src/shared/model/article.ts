import { z } from 'zod';
import { isoTime, numericId } from './scalars.ts';

export const articleStatus = z.enum(['draft', 'published'], 'must be draft or published').meta({ id: 'ArticleStatus' });
export type ArticleStatus = z.infer<typeof articleStatus>;

const url = z.string().nullable();

/** An article as lists show it (SPEC.md, Article). */
export const articleSummary = z
  .object({
    article_id: numericId,
    title: z.string(),
    status: articleStatus,
    tweet_id: numericId.nullable().meta({ description: 'Its wrapper tweet, while it is published.' }),
    draft_url: url.meta({ description: 'While it is a draft, for its author alone.' }),
    public_url: url.meta({ description: 'While it is published.' }),
    cover_media_id: numericId.nullable(),
    created_at: isoTime,
    updated_at: isoTime,
  })
  .meta({ id: 'ArticleSummary' });

export const article = articleSummary
  .extend({ content: z.string().meta({ description: 'Markdown.' }) })
  .meta({ id: 'Article' });

export type ArticleSummary = z.infer<typeof articleSummary>;
export type Article = z.infer<typeof article>;
