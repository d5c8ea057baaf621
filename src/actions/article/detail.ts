import { z } from 'zod';
import { asArticle } from '../../articles/content-tasks.ts';
import { article, articleId } from '../../shared/model/article.ts';
import { flatPrice, platformAction } from '../action.ts';

export const articleDetail = platformAction({
  name: 'article/detail',
  method: 'GET',
  path: '/article/detail',
  summary: 'One article, with its content as Markdown',
  description: 'An article of the actor, or a published article of another user.',
  price: flatPrice,
  effect: 'read',
  input: z.object({ article_id: articleId }),
  example: { article_id: '1989000000000000000' },
  output: article,
  run: async ({ platform, tasks }, { article_id }) => asArticle(await platform.articles.article(article_id), tasks),
});
