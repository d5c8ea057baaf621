import { z } from 'zod';
import { articleStatus, articleSummary } from '../../shared/model/article.ts';
import { pageInput, pageOutput } from '../../shared/model/page.ts';
import { count } from '../../shared/model/scalars.ts';
import { flatPrice, platformAction } from '../action.ts';

export const listArticles = platformAction({
  name: 'article/list',
  method: 'GET',
  path: '/article/list',
  summary: "The actor's own articles, newest first",
  description: 'The articles have no `content` here.',
  price: flatPrice,
  effect: 'read',
  paged: true,
  input: z.object({
    status: articleStatus.optional().meta({
      description: 'Only articles of this status; drafts and published ones if left out.',
      examples: ['published'],
    }),
    ...pageInput,
  }),
  example: { count: 1 },
  output: z.object({ article_count: count, ...pageOutput, articles: z.array(articleSummary) }),
  async run({ platform }, { status = null, count: size, cursor = null }) {
    const page = await platform.articles.list(status, { count: size, cursor });
    return {
      article_count: page.items.length,
      has_more: page.cursor !== null,
      next_cursor: page.cursor,
      articles: page.items,
    };
  },
});
