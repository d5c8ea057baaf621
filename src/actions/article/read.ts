import { z } from 'zod';
import { asArticle } from '../../articles/content-tasks.ts';
import { article, articleId, articleStatus, articleSummary } from '../../shared/model/article.ts';
import { pageInput, pageOutput } from '../../shared/model/page.ts';
import { count } from '../../shared/model/scalars.ts';
import { platformAction } from '../action.ts';

export const articleDetail = platformAction({
  name: 'article/detail',
  method: 'GET',
  summary: 'One article, with its content as Markdown',
  description: 'An article of the actor, or a published article of another user.',
  input: z.object({ article_id: articleId }),
  example: { article_id: '1989000000000000000' },
  output: article,
  run: async ({ platform, tasks }, { article_id }) => asArticle(await platform.articles.article(article_id), tasks),
});

export const listArticles = platformAction({
  name: 'article/list',
  method: 'GET',
  summary: "The actor's own articles, newest first",
  description: 'The articles have no `content` here.',
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
