import { z } from 'zod';
import { applyTransition, findTransition } from '../../articles/change.ts';
import { articleId } from '../../shared/model/article.ts';
import { flatPrice, platformAction } from '../action.ts';

export const unpublishArticle = platformAction({
  name: 'article/unpublish',
  method: 'POST',
  path: '/article/unpublish',
  summary: 'Make a published article a draft again',
  description: 'Its wrapper tweet is removed. A draft stays as it is.',
  price: flatPrice,
  effect: 'idempotent',
  input: z.object({ article_id: articleId }),
  example: { article_id: '1989000000000000000' },
  output: z.object({ article_id: articleId }),
  async run({ platform }, { article_id }) {
    const { found, transition } = await findTransition(platform, article_id, 'unpublish');
    await applyTransition(platform.articles, found, transition, {});
    return { article_id };
  },
});
